import { failure, unsupportedMediaTypeError } from '../meta/status.ts'
import type { Scope } from './scope.ts'

// Temporary: replaced by codec/negotiate.

export interface Output {
  readonly mediaType: string
  readonly pretty: boolean
  readonly as?: { readonly kind: string; readonly group: string; readonly version: string }
}

export function negotiate(scope: Scope): Output {
  const { headers, query, search } = scope.exchange
  const accept = headers.accept ?? ''
  let pretty = false
  if (search.includes('pretty')) pretty = query.get('pretty') !== null && !['false', '0'].includes(query.get('pretty') ?? '')
  if (accept === '' || accept === '*/*' || accept === 'application/json') return { mediaType: 'application/json', pretty }
  for (const clause of accept.split(',')) {
    const [type, ...parameters] = clause.split(';').map(p => p.trim())
    const values = new Map(parameters.map(p => p.split('=', 2) as [string, string]))
    const as = values.get('as')
    const mediaType = type === '*/*' ? 'application/json' : (type as string)
    if (mediaType !== 'application/json' && mediaType !== 'application/yaml') continue
    if (as === undefined) return { mediaType, pretty }
    if (values.get('g') === 'meta.k8s.io' && ['v1', 'v1beta1'].includes(values.get('v') ?? '') && ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'].includes(as))
      return { mediaType, pretty, as: { kind: as, group: 'meta.k8s.io', version: values.get('v') as string } }
  }
  throw failure(406, 'NotAcceptable', '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf', {})
}

export const negotiateStream = (scope: Scope): Output => negotiate(scope)

export function bodyMediaType(contentType: string | undefined): string {
  const type = (contentType ?? '').split(';')[0]?.trim() ?? ''
  if (type === '' || type === 'application/json') return 'application/json'
  if (type === 'application/yaml') return type
  throw unsupportedMediaTypeError(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'])
}
