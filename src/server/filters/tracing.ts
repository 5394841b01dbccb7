import type { Attributes, Span } from '../../lib/spans.ts'
import { StatusError } from '../../meta/status.ts'
import type { HttpExchange } from '../http/http-exchange.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { Filter } from './filter.ts'

/** Groups whose clients may have their requests sampled, as in kube-apiserver. */
const TRUSTED = ['system:masters', 'system:monitoring']

/** Spans of requests, from `withTracing` to `withOperationSpan`. */
export type RequestSpans = WeakMap<HttpExchange, Span>

/** Records a span for a request, which begins at its receipt. */
export const withTracing =
  (tracing: Tracing, spans: RequestSpans): Filter =>
  async ({ state: { exchange } }, next) => {
    const { user, headers } = exchange
    const span = tracing.begin({
      name: spanName(exchange),
      begun: Date.now() - exchange.elapsed(),
      headers,
      trusted: user.groups.some(group => TRUSTED.includes(group)),
      attributes: requestAttributes(exchange),
    })
    if (span.isRecorded) spans.set(exchange, span)
    let thrown: unknown
    try {
      await next()
    } catch (error) {
      thrown = error
      throw error
    } finally {
      const code = exchange.status || (thrown instanceof StatusError ? thrown.code : 500)
      span.end({ 'http.response.status_code': code, 'http.response.body.size': exchange.sent }, code >= 500 ? '' : undefined)
    }
  }

const OPERATIONS: Readonly<Record<string, string>> = {
  create: 'Create',
  update: 'Update',
  patch: 'Patch',
  delete: 'Delete',
  deletecollection: 'Delete',
  get: 'Get',
  list: 'List',
  watch: 'List',
}

/** Records a child span for an operation on a resource, with the calls that it makes. */
export const withOperationSpan =
  (spans: RequestSpans, tracing: Tracing): Filter =>
  async ({ state: { exchange } }, next) => {
    const { info } = exchange
    const name = info.isResource ? OPERATIONS[info.verb] : undefined
    const operation = name === undefined ? undefined : spans.get(exchange)?.begin(name, operationAttributes(exchange))
    if (operation === undefined) return next()
    try {
      await tracing.within(operation, next)
    } finally {
      operation.end()
    }
  }

/** Name of a span: method and route of a resource, or the method of any other path. */
function spanName({ method, info }: HttpExchange): string {
  if (!info.isResource) return method
  const { group, version, namespace, resource, name, subresource } = info
  const parts = [
    group === '' ? '/api' : `/apis/${group}`,
    version,
    ...(namespace === '' ? [] : ['namespaces/{:namespace}']),
    resource,
    ...(name === '' ? [] : ['{:name}']),
    ...(subresource === '' ? [] : [subresource]),
  ]
  return `${method} ${parts.join('/')}`
}

function requestAttributes({ method, path, uri, userAgent, remoteAddress, isHttp2, headers }: HttpExchange): Attributes {
  return {
    'http.request.method': method,
    'http.target': uri,
    'url.path': path,
    'network.peer.address': remoteAddress,
    'network.protocol.version': isHttp2 ? '2' : '1.1',
    ...(headers.host !== undefined && { 'server.address': headers.host }),
    ...(userAgent !== '' && { 'user_agent.original': userAgent }),
  }
}

/**
 * Attributes of the request's inner span, by the names of upstream's traces. Those of a path without a resource are
 * empty texts.
 */
function operationAttributes({ headers, auditId, remoteAddress, info, path, userAgent, isHttp2 }: HttpExchange): Attributes {
  const resource = info.isResource ? info : undefined
  const scope = resource === undefined ? '' : resource.name !== '' ? 'resource' : resource.namespace !== '' ? 'namespace' : 'cluster'
  return {
    accept: headers.accept ?? '',
    'audit-id': auditId,
    client: remoteAddress,
    'api-group': resource?.group ?? '',
    'api-version': resource?.version ?? '',
    name: resource?.name ?? '',
    subresource: resource?.subresource ?? '',
    namespace: resource?.namespace ?? '',
    protocol: isHttp2 ? 'HTTP/2.0' : 'HTTP/1.1',
    resource: resource?.resource ?? '',
    scope,
    url: path,
    'user-agent': userAgent,
    verb: info.verb.toUpperCase(),
  }
}
