import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, type Span as OtelSpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import type { Attributes, Span } from '../../lib/spans.ts'
import type { TracedRequest, Tracing } from './tracing.ts'
import type { TracingConfig } from './tracing-file.ts'

const SCOPE = 'k8s.io/apiserver'
const DEFAULT_ENDPOINT = 'localhost:4317'
const MILLION = 1_000_000

/**
 * Samples requests whose client samples them, and of the others the configured share. `processor`: replaced by tests.
 */
export function openTracing(config: TracingConfig, processor: SpanProcessor = batchesTo(config)): Tracing {
  const rate = config.samplingRatePerMillion ?? 0
  const root = rate > 0 ? new TraceIdRatioBasedSampler(rate / MILLION) : new AlwaysOffSampler()
  const provider = new BasicTracerProvider({
    sampler: new ParentBasedSampler({ root }),
    resource: resourceFromAttributes({ 'service.name': 'apiserver' }),
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer(SCOPE)
  const propagator = new W3CTraceContextPropagator()
  const running = new AsyncLocalStorage<Span>()
  return {
    begin: request => beginRequest(tracer, propagator, request),
    within: (span, work) => running.run(span, work),
    current: () => running.getStore(),
    // Shutting down rejects if the collector cannot be reached.
    close: () => provider.shutdown().catch(() => {}),
  }
}

function batchesTo({ endpoint = DEFAULT_ENDPOINT }: TracingConfig): SpanProcessor {
  const url = endpoint.startsWith('unix:') ? endpoint : `http://${endpoint.replace(/^dns:\/\/\/?/, '')}`
  return new BatchSpanProcessor(new OTLPTraceExporter({ url }))
}

const fromHeaders = {
  keys: (headers: TracedRequest['headers']) => Object.keys(headers),
  get(headers: TracedRequest['headers'], name: string) {
    const value = headers[name]
    return typeof value === 'string' ? value : undefined
  },
}

function beginRequest(
  tracer: Tracer,
  propagator: W3CTraceContextPropagator,
  { name, begun, headers, trusted, attributes }: TracedRequest,
): Span {
  const remote = propagator.extract(ROOT_CONTEXT, headers, fromHeaders)
  const client = trace.getSpanContext(remote)
  const links = !trusted && client ? [{ context: client }] : []
  const context = trusted ? remote : ROOT_CONTEXT
  return spanOf(
    tracer,
    context,
    tracer.startSpan(name, { kind: SpanKind.SERVER, startTime: begun, attributes, links, root: !trusted }, context),
  )
}

/** `traceparent`: header for requests to other servers on behalf of this one (W3C Trace Context). */
function spanOf(tracer: Tracer, parent: Context, span: OtelSpan): Span {
  const context = trace.setSpan(parent, span)
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    isRecorded: span.isRecording(),
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    begin: (name: string, attributes: Attributes) => spanOf(tracer, context, tracer.startSpan(name, { attributes }, context)),
    end(attributes, failure) {
      if (attributes) span.setAttributes(attributes)
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
      span.end()
    },
  }
}
