import type { ServedResource } from '../../../src/catalog/catalog.ts'
import { apiVersionOfVersion } from '../../../src/catalog/catalog.ts'
import type { Subresource } from '../../../src/catalog/definition.ts'
import { apiVersionOf } from '../../../src/meta/gvk.ts'
import type { ApiRequest } from './recorded-api.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

/**
 * Paths to one resource: those that the API has, and those that it only looks as if it had. NS, OBJ: namespace and
 * name; both ways into a namespace, whatever the resource's scope.
 */
export function pathsOf({ version }: ServedResource): string[] {
  const { group, name, names } = version
  const base = group === '' ? `/api/${name}` : `/apis/${group}/${name}`
  const r = names.plural
  const places = [`${base}/${r}`, `${base}/namespaces/ns/${r}`]
  const objects = places.map(place => `${place}/obj`)
  const subresources = [...Object.keys(version.subresources ?? {}), 'nosuch']
  const below = (prefix: 'watch' | 'proxy', path: string): string => path.replace(base, `${base}/${prefix}`)
  return [
    ...places,
    ...objects,
    ...[...places, ...objects].flatMap(path => [below('watch', path), below('proxy', path)]),
    ...objects.flatMap(object =>
      subresources.flatMap(sub => [`${object}/${sub}`, below('watch', `${object}/${sub}`), below('proxy', `${object}/${sub}`)]),
    ),
    ...subresources.flatMap(sub => [`${objects[1]}/${sub}/more`, `${objects[1]}/${sub}/watch/x`]),
    ...places.flatMap(place =>
      ['?watch=1', '?watch=0', '?fieldSelector=metadata.name=obj', '?watch=1&fieldSelector=metadata.name=obj'].map(query => place + query),
    ),
    ...objects.map(object => `${object}?watch=1`),
    `${below('watch', places[0] as string)}?fieldSelector=metadata.name=obj`,
  ]
}

/** Queries with repeated or misspelt parameters. The first occurrence of a parameter counts. */
const ODD_QUERIES = [
  'watch=1&watch=0',
  'watch=0&watch=1',
  'watch',
  'watch=false',
  'watch=FALSE&watch',
  'watch=0;watch=1',
  'watch=1;&watch=0',
  'Watch=1',
  '%77atch=1',
  'watch%00=1',
  'watch=1%',
  'fieldSelector=metadata.name=obj&fieldSelector=metadata.name=other',
  'fieldSelector=&fieldSelector=metadata.name=obj',
  'fieldSelector=metadata.name=obj&fieldSelector=&watch=1',
  'fieldSelector=metadata.name%3Dobj',
  'fieldSelector=metadata.name=obj;x',
  'FieldSelector=metadata.name=obj',
  'name=obj&namespace=ns&resource=pods&verb=get',
  'dryRun=All&dryRun=',
  'method=DELETE&_method=DELETE',
]

/** Paths to one resource and its objects with such queries. */
export function oddQueriesOf(served: ServedResource): string[] {
  const { group, name, names } = served.version
  const base = group === '' ? `/api/${name}` : `/apis/${group}/${name}`
  const places = [`${base}/${names.plural}`, `${base}/namespaces/ns/${names.plural}`, `${base}/watch/namespaces/ns/${names.plural}`]
  return [...places, ...places.map(place => `${place}/obj`)].flatMap(path => ODD_QUERIES.map(query => `${path}?${query}`))
}

/** Paths that are not as the API has them. */
export function oddPathsOf({ version }: ServedResource): string[] {
  const { group, name, names } = version
  const prefix = group === '' ? '/api' : `/apis/${group}`
  const base = `${prefix}/${name}`
  const r = names.plural
  return [
    `${base}/namespaces/ns/namespaces/other`,
    `${base}/namespaces/ns/namespaces/ns`,
    `${base}/namespaces/ns/namespaces`,
    `${base}/namespaces/ns/namespaces/other/${r}/obj`,
    `${base}/namespaces/ns/namespaces/other/status`,
    `${base}/namespaces/ns/namespaces/other/finalize`,
    `${base}/watch/namespaces/ns/namespaces/other`,
    `${base}/namespaces/status/${r}/obj`,
    `${base}/namespaces/ns/status/${r}/obj`,
    `${base}/namespaces/ns/finalize/obj`,
    `${base}/namespaces//${r}`,
    `${base}/namespaces//${r}/obj`,
    `${base}/namespaces/ns/${r}//status`,
    `${base}/namespaces/ns//${r}/obj`,
    `/${base}/${r}`,
    `${base}//${r}`,
    `${base}/${r}//`,
    `${base}/namespaces/ns/${r}/obj/`,
    `${base}/watch/watch/${r}`,
    `${base}/watch/proxy/${r}/obj`,
    `${base}/proxy/watch/${r}/obj`,
    `${base}/watch/namespaces`,
    `${base}/watch/namespaces/ns`,
    `${base}/watch`,
    `${base}/proxy`,
    `${base}/namespaces/ns/${r}/..`,
    `${base}/namespaces/../${r}/obj`,
    `${base}/namespaces/ns/${r}/obj%2Fstatus`,
    `${base}/namespaces/ns%2F${r}/obj`,
    `${base}/namespaces/ns/${r}/obj%00`,
    `${base}/namespaces/ns/${r}/%2e%2e%2fother`,
    `${base}/%77atch/${r}`,
    `${base.toUpperCase()}/${r}`,
    `${prefix}//${name}/${r}/obj`,
    `/apis//${name}/${r}`,
    `/apis/${name}/${r}/obj`,
  ]
}

/** A request for each method, with a body that its kind can be decoded from. */
export function requestsTo(url: string, served: ServedResource): ApiRequest[] {
  const [path = ''] = url.split('?')
  const subresource = Object.entries(served.version.subresources ?? {}).find(([name]) => path.endsWith(`/${name}`))?.[1]
  return METHODS.flatMap((method): ApiRequest[] => {
    if (method === 'PATCH')
      return [
        { method, url, headers: { 'Content-Type': 'application/merge-patch+json' }, body: '{}' },
        {
          method,
          url: `${url}${url.includes('?') ? '&' : '?'}fieldManager=m`,
          headers: { 'Content-Type': 'application/apply-patch+yaml' },
          body: bodyOf(served, subresource, path),
        },
      ]
    const hasBody = method === 'POST' || method === 'PUT'
    return [{ method, url, ...(hasBody && { headers: { 'Content-Type': 'application/json' }, body: bodyOf(served, subresource, path) }) }]
  })
}

function bodyOf({ version, definition }: ServedResource, subresource: Subresource | undefined, path: string): string {
  const kind = subresource?.kind
  const apiVersion = kind ? apiVersionOf(kind) : apiVersionOfVersion(version)
  const namespaced = definition.scope === 'Namespaced' && path.includes('/namespaces/ns/')
  return JSON.stringify({ apiVersion, kind: (kind ?? version).kind, metadata: { name: 'obj', ...(namespaced && { namespace: 'ns' }) } })
}
