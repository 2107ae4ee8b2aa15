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

{{- /* What is deployed, by role, with replicas, resources and autoscaling; `all` is the whole line in one pod. */ -}}
{{- define "groundwatch.parts" -}}
{{- if eq .Values.mode "single" -}}
{{- dict "all" (dict "replicas" .Values.replicas "autoscaling" .Values.autoscaling) | toYaml -}}
{{- else -}}
{{- .Values.roles | toYaml -}}
{{- end -}}
{{- end }}

{{- /* Below, what belongs to one part: they take a list of the root context and the role. */ -}}
{{- define "groundwatch.part.name" -}}
{{- $role := index . 1 -}}
{{ include "groundwatch.name" (index . 0) }}{{ if ne $role "all" }}-{{ $role }}{{ end }}
{{- end }}

{{- define "groundwatch.part.selector" -}}
{{- $role := index . 1 -}}
{{ include "groundwatch.selector" (index . 0) }}
{{- if ne $role "all" }}
app.kubernetes.io/component: {{ $role }}
{{- end }}
{{- end }}

{{- define "groundwatch.part.labels" -}}
{{- $role := index . 1 -}}
{{ include "groundwatch.labels" (index . 0) }}
{{- if ne $role "all" }}
app.kubernetes.io/component: {{ $role }}
{{- end }}
{{- end }}

{{- /* Each change of replicas moves open traces to others half way: not more often than needed. */ -}}
{{- define "groundwatch.behavior" -}}
scaleDown:
  stabilizationWindowSeconds: 600
  policies: [{type: Pods, value: 1, periodSeconds: 120}]
{{- end }}

{{- /* What the operator sets, over what a pod needs: it listens on its own address and writes to one folder. */ -}}
{{- define "groundwatch.config" -}}
{{- if and (eq .Values.mode "roles") (not (dig "streams" "bootstrap_servers" nil .Values.config)) -}}
{{- fail "mode: roles meets in Kafka: set config.streams.bootstrap_servers" -}}
{{- end -}}
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
