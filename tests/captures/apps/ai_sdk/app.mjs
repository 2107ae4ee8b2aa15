// AI SDK with its experimental telemetry: retrieval is a tool that the model calls.
import { readFileSync } from "node:fs";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

const { documents, cases } = JSON.parse(readFileSync(process.env.SHOP));
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ "service.name": "own-ai-sdk" }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();

const usage = {
  inputTokens: { total: 50, noCache: 50 },
  outputTokens: { total: 8, text: 8 },
};

function fakeModel(one) {
  const said = [
    {
      content: [{ type: "tool-call", toolCallId: "c1", toolName: "search", input: JSON.stringify({ query: one.question }) }],
      finishReason: { unified: "tool-calls" },
    },
    { content: [{ type: "text", text: one.answer }], finishReason: { unified: "stop" } },
  ];
  return new MockLanguageModelV3({
    modelId: "fake-1",
    doGenerate: async () => ({ ...said.shift(), usage, warnings: [] }),
  });
}

for (const one of cases) {
  const search = tool({
    description: "Finds documents",
    inputSchema: z.object({ query: z.string() }),
    execute: async () => one.found.map((id, rank) => ({ id, text: documents[id], score: [0.75, 0.5][rank] })),
  });
  await generateText({
    model: fakeModel(one),
    prompt: one.question,
    tools: { search },
    stopWhen: stepCountIs(3),
    experimental_telemetry: { isEnabled: true, metadata: { sessionId: "session-1", userId: "user-1" } },
  });
}
await provider.shutdown();
