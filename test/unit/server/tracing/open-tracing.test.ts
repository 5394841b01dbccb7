import { once } from 'node:events'
import * as grpc from '@grpc/grpc-js'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { expect } from 'chai'
import { inSpan, type Spans } from '../../../../src/lib/spans.ts'
import { failure } from '../../../../src/meta/status.ts'
import { openTracing } from '../../../../src/server/tracing/open-tracing.ts'
import { startTestServer, type TestServer } from '../../../support/server.ts'
import { eventually } from '../../../support/waiting.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const traceparent = (flags: '00' | '01'): Record<string, string> => ({ traceparent: `00-${TRACE}-${PARENT}-${flags}` })
const THING = '/api/v1/namespaces/ns/things/x'

/** Calls of a request. The second one fails. */
async function calls(tracing: Spans): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 5))
  await inSpan(
    tracing,
    'first',
    () => ({}),
    span => {
      expect(span?.traceparent).to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
      return Promise.resolve()
    },
  )
  const failing = inSpan(
    tracing,
    'second',
    () => ({}),
    () => Promise.reject(new Error('no')),
  )
  await failing.catch(() => {})
}

describe('openTracing', () => {
  const exporter = new InMemorySpanExporter()
  let server: TestServer | undefined
  const start = async (samplingRatePerMillion?: number): Promise<TestServer> => {
    const tracing = openTracing(samplingRatePerMillion === undefined ? {} : { samplingRatePerMillion }, new SimpleSpanProcessor(exporter))
    server = await startTestServer(
      async exchange => {
        if (exchange.info.name === 'calls') await calls(tracing)
        if (exchange.info.name === 'broken') throw failure(500, 'InternalError', 'no', {})
        await exchange.sendBytes(200, 'text/plain', Buffer.from('done'))
      },
      { observability: { tracing } },
    )
    return server
  }
  beforeEach(() => exporter.reset())
  afterEach(async () => {
    await server?.close()
    server = undefined
  })
  /** The span of the request, and its children. */
  const spans = async (count: number): Promise<readonly ReadableSpan[]> => {
    await eventually('the spans have ended', () => exporter.getFinishedSpans().length >= count)
    return [...exporter.getFinishedSpans()].reverse()
  }
  const shape = (found: readonly ReadableSpan[]) => found.map(({ name, parentSpanContext }) => [name, parentSpanContext?.spanId])

  it("records a request that its client samples, as part of the client's trace", async () => {
    const { http2 } = await start()
    await http2(THING, { headers: traceparent('01') })
    const [request, operation] = await spans(2)
    expect(shape([request!, operation!])).to.deep.equal([
      ['GET /api/v1/namespaces/{:namespace}/things/{:name}', PARENT],
      ['Get', request?.spanContext().spanId],
    ])
    expect([request?.spanContext().traceId, operation?.spanContext().traceId]).to.deep.equal([TRACE, TRACE])
    expect(request?.attributes).to.include({
      'http.request.method': 'GET',
      'http.target': THING,
      'http.response.status_code': 200,
      'http.response.body.size': 4,
    })
    expect(operation?.attributes).to.include({
      resource: 'things',
      name: 'x',
      namespace: 'ns',
      scope: 'resource',
      verb: 'GET',
      protocol: 'HTTP/2.0',
    })
    expect(request?.resource.attributes['service.name']).to.equal('apiserver')
  })

  it('records no other requests without a sampling rate, and no request that its client does not sample', async () => {
    const { http2 } = await start()
    await http2(THING)
    await http2(THING, { headers: traceparent('00') })
    await http2(THING, { headers: { traceparent: 'nonsense' } })
    await http2(THING, { headers: traceparent('01') })
    expect(await spans(2)).to.have.length(2)
  })

  it("only records requests of system:masters and system:monitoring as part of the client's trace", async () => {
    const { secure } = await start()
    await secure(THING, { headers: { ...traceparent('01'), authorization: 'Bearer alice' } })
    await secure('/version', { headers: traceparent('01') })
    expect(exporter.getFinishedSpans()).to.deep.equal([])
  })

  it("samples other requests by the rate, in their own traces, which are linked to the client's", async () => {
    const { secure, plain } = await start(1_000_000)
    await secure(THING, { headers: { ...traceparent('01'), authorization: 'Bearer alice' } })
    const [request] = await spans(1)
    expect(request?.spanContext().traceId).not.to.equal(TRACE)
    expect(request?.parentSpanContext).to.equal(undefined)
    expect(request?.links.map(({ context }) => context.traceId)).to.deep.equal([TRACE])
    expect(request?.attributes['http.response.status_code']).to.equal(403)
    exporter.reset()
    await plain('/version')
    expect((await spans(1)).map(({ name }) => name)).to.deep.equal(['GET'])
  })

  it('records the calls of a request, concurrent and nested', async () => {
    const { plain } = await start(1_000_000)
    await Promise.all([plain('/api/v1/namespaces/ns/things/calls'), plain('/api/v1/namespaces/ns/things/calls')])
    const found = await spans(8)
    const requests = found.filter(({ parentSpanContext }) => parentSpanContext === undefined)
    const chains = requests.map(request => {
      const ofTrace = found.filter(span => span.spanContext().traceId === request.spanContext().traceId)
      const inside = (parent: ReadableSpan): string[] =>
        ofTrace
          .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent.spanContext().spanId)
          .flatMap(span => [span.name, ...inside(span)])
      return inside(request)
    })
    expect(chains).to.deep.equal([
      ['Get', 'second', 'first'],
      ['Get', 'second', 'first'],
    ])
    expect(found.find(({ name }) => name === 'second')?.status).to.include({ code: 2, message: 'no' })
  })

  it('records failures', async () => {
    const { plain } = await start(1_000_000)
    await plain('/api/v1/namespaces/ns/things/broken', { method: 'DELETE' })
    const [request, operation] = await spans(2)
    expect([request?.attributes['http.response.status_code'], request?.status.code, operation?.name]).to.deep.equal([500, 2, 'Delete'])
  })

  it('exports spans to a collector', async () => {
    const collector = new grpc.Server()
    const received: Buffer[] = []
    const same = (bytes: Buffer): Buffer => bytes
    const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
    collector.addService(
      {
        export: {
          path,
          requestStream: false,
          responseStream: false,
          requestDeserialize: same,
          requestSerialize: same,
          responseSerialize: same,
          responseDeserialize: same,
        },
      },
      {
        export: ({ request }: grpc.ServerUnaryCall<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) => {
          received.push(request)
          done(null, Buffer.alloc(0))
        },
      },
    )
    const port = await new Promise<number>((resolve, reject) =>
      collector.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    )
    try {
      const tracing = openTracing({ endpoint: `127.0.0.1:${port}`, samplingRatePerMillion: 1_000_000 })
      tracing.begin({ name: 'GET /api/v1/pods', begun: Date.now(), headers: {}, trusted: true, attributes: {} }).end()
      await tracing.close()
      expect(received.map(bytes => bytes.includes('GET /api/v1/pods') && bytes.includes('apiserver'))).to.deep.equal([true])
    } finally {
      collector.forceShutdown()
    }
  })

  it('closes without a collector', async () => {
    const tracing = openTracing({ endpoint: '127.0.0.1:1', samplingRatePerMillion: 1_000_000 })
    tracing.begin({ name: 'x', begun: Date.now(), headers: {}, trusted: true, attributes: {} }).end()
    await Promise.race([
      tracing.close(),
      once(AbortSignal.timeout(20_000), 'abort').then(() => Promise.reject(new Error('it does not end'))),
    ])
  })
})
