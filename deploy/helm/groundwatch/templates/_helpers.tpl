{{- define "groundwatch.name" -}}
{{- if contains "groundwatch" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-groundwatch" (.Release.Name | trunc 38 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "groundwatch.selector" -}}
app.kubernetes.io/name: groundwatch
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "groundwatch.labels" -}}
{{ include "groundwatch.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* What the operator sets, over what a pod needs: it listens on its own address and writes to one folder. */ -}}
{{- define "groundwatch.config" -}}
{{- $receiver := dict "host" "0.0.0.0" -}}
{{- $web := dict "host" "0.0.0.0" "port" 9464 -}}
{{- if .Values.auth.existingSecret -}}
{{- $_ := set $receiver "token_env" "GROUNDWATCH_OTLP_TOKEN" -}}
{{- $_ := set $web "token_env" "GROUNDWATCH_WEB_TOKEN" -}}
{{- end -}}
{{- $grpc := merge (dict "port" 4317) $receiver -}}
{{- $http := merge (dict "port" 4318) $receiver -}}
{{- $needed := dict "receivers" (dict "grpc" $grpc "http" $http) "web" $web "cache" (dict "path" "/var/lib/groundwatch/verdicts.sqlite") -}}
{{- mergeOverwrite $needed (deepCopy .Values.config) | toYaml -}}
{{- end }}
