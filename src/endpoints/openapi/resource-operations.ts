import type { CatalogSnapshot, ServedResource } from '../../catalog/catalog.ts'
import type { ConnectSubresource } from '../../catalog/connect.ts'
import type { Subresource } from '../../catalog/definition.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import type { Descriptions } from '../../schema/openapi/descriptions.ts'
import type { StructSchema } from '../../schema/schema.ts'
import { dialectOf } from '../dialect/dialect-of.ts'
import { connectOperations, optionParameters } from './connect-operations.ts'
import { groupName, identifier, withArticle } from './identifiers.ts'
import { METHODS, type Operation, type TypeRef } from './operation.ts'
import { type OperationStyle, operationStyle } from './operation-style.ts'
import {
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  nameParameter,
  namespaceParameter,
  PATCH_PARAMETERS,
  type Parameter,
  pretty,
  WRITE_PARAMETERS,
} from './parameters.ts'

/** Returns every operation on the resources of a group version. Paths are in byte order. */
export function resourceOperations(snapshot: CatalogSnapshot, groupVersion: string, descriptions: Descriptions): Operation[] {
  return snapshot
    .resourcesOf(groupVersion)
    .flatMap(served => operationsOf(served, descriptions, snapshot.release))
    .sort((a, b) => (a.path === b.path ? METHODS.indexOf(a.method) - METHODS.indexOf(b.method) : a.path < b.path ? -1 : 1))
}

/** Adds an operation. Its id consists of `verb`, group and version, and `rest`: `listCoreV1NamespacedPod`. */
type Add = (verb: string, rest: string, operation: Omit<Operation, 'id' | 'tag' | 'consumes' | 'produces'> & Partial<Operation>) => void

/** Target of operations: a resource, or one of its subresources. */
interface OperationTarget {
  readonly add: Add
  /** Kind of the parent, for descriptions. */
  readonly kind: string
  /** Suffix of operation ids: `NamespacedPod`, `NamespacedPodStatus`. */
  readonly title: string
  /** Text before the kind in descriptions: `status of `. */
  readonly of: string
  /** Path of one object. */
  readonly path: string
  /** Parameters in that path. */
  readonly places: readonly Parameter[]
  readonly schema: StructSchema
  /** Media types of patches. */
  readonly patchTypes: readonly string[]
  readonly style: OperationStyle
  readonly verbs: readonly string[]
}

/** Collection paths of a resource. */
interface Collections {
  /** `/api/v1`, `/apis/apps/v1` */
  readonly root: string
  /** Path of the collection across all namespaces, or of a cluster-scoped resource. */
  readonly all: string
  /** Path of the collection in a namespace, which is a parameter. Equals `all` for a cluster-scoped resource. */
  readonly own: string
  readonly namespaced: boolean
  /** Parameters in `own`. */
  readonly places: readonly Parameter[]
}

/**
 * Returns every operation on a resource and its subresources, by their verbs. Without a release, operations have the
 * parameters of all releases.
 */
function operationsOf(served: ServedResource, descriptions: Descriptions, release: Release | undefined): Operation[] {
  const { definition, version } = served
  const { group, name, kind, schema, verbs } = version
  const collections = collectionsOf(served)
  const groupVersionName = `${identifier(groupName(group), true)}${identifier(name, true)}`
  const style = operationStyle(schema)
  const { consumes, produces } = style
  const common = { tag: `${identifier(groupName(group), false)}_${name}`, consumes, produces, gvk: { group, version: name, kind } }
  const out: Operation[] = []
  const isServed = ({ since }: Parameter): boolean => release === undefined || since === undefined || isSince(release, since)
  const add: Add = (verb, rest, operation) =>
    out.push({ ...common, ...operation, parameters: operation.parameters.filter(isServed), id: `${verb}${groupVersionName}${rest}` })
  const target: OperationTarget = {
    add,
    kind,
    title: `${definition.scope === 'Namespaced' ? 'Namespaced' : ''}${kind}`,
    of: '',
    path: `${collections.own}/{name}`,
    places: [...collections.places, nameParameter(kind)],
    schema,
    patchTypes: dialectOf(schema).patchTypes(false).taken,
    style,
    verbs,
  }
  addLists(target, collections, served)
  if (verbs.includes('create')) addCreate({ ...target, path: collections.own, places: collections.places }, `create ${withArticle(kind)}`)
  addDeletions(target, collections, definition.strategy?.returnsDeleted ? schema : 'Status')
  addItem(target)
  if (style.watchPaths && verbs.includes('watch')) addWatches(target, collections)
  for (const [subresource, part] of Object.entries(version.subresources ?? {})) addSubresource(target, subresource, part, descriptions)
  return out
}

/** Returns the collection paths. A namespaced resource has one for each namespace and one across all. */
function collectionsOf({ definition, version }: ServedResource): Collections {
  const { group, name, names } = version
  const root = group === '' ? `/api/${name}` : `/apis/${group}/${name}`
  const all = `${root}/${names.plural}`
  if (definition.scope !== 'Namespaced') return { root, all, own: all, namespaced: false, places: [] }
  return { root, all, own: `${root}/namespaces/{namespace}/${names.plural}`, namespaced: true, places: [namespaceParameter] }
}

/** Adds the lists. With `watch` in the query, a list is a watch. */
function addLists(
  { add, kind, title, style, verbs }: OperationTarget,
  { all, own, namespaced, places }: Collections,
  served: ServedResource,
): void {
  if (!verbs.includes('list')) return
  const operation = {
    method: 'get',
    description: `list objects of kind ${kind}`,
    produces: verbs.includes('watch') ? style.streams : style.produces,
    responses: { 200: { list: served } },
    action: 'list',
  } as const
  add('list', title, { ...operation, path: own, parameters: [...places, ...LIST_PARAMETERS, pretty] })
  if (namespaced) add('list', `${kind}ForAllNamespaces`, { ...operation, path: all, parameters: [...LIST_PARAMETERS, pretty] })
}

/** Adds the deprecated watch paths below `watch/`. */
function addWatches(
  { add, kind, title, path: item, places: itemPlaces, style }: OperationTarget,
  { root, all, own, namespaced, places }: Collections,
): void {
  const watch = (path: string, rest: string, parameters: readonly Parameter[], action: 'watch' | 'watchlist'): void => {
    add('watch', rest, {
      path: `${root}/watch${path.slice(root.length)}`,
      method: 'get',
      description: `watch ${action === 'watch' ? 'an object' : 'objects'} of kind ${kind}. Deprecated: list with watch=true instead.`,
      parameters: [...parameters, ...LIST_PARAMETERS, pretty],
      produces: style.streams,
      responses: { 200: 'WatchEvent' },
      action,
    })
  }
  watch(own, `${title}List`, places, 'watchlist')
  if (namespaced) watch(all, `${kind}ListForAllNamespaces`, [], 'watchlist')
  watch(item, title, itemPlaces, 'watch')
}

/** Adds a create. `path` and `places` are those of the collection or of the subresource. */
function addCreate({ add, title, path, places, schema }: OperationTarget, description: string): void {
  add('create', title, {
    path,
    method: 'post',
    description,
    parameters: [...places, ...WRITE_PARAMETERS, pretty],
    body: { type: schema, required: true },
    responses: { 200: schema, 201: schema, 202: schema },
    action: 'post',
  })
}

/** Adds the deletions. `response`: type of the response to the deletion of one object. */
function addDeletions(
  { add, kind, title, path, places: itemPlaces, style, verbs }: OperationTarget,
  { own, places }: Collections,
  response: TypeRef,
): void {
  const body = { type: 'DeleteOptions', required: false } as const
  if (verbs.includes('deletecollection')) {
    add('delete', `Collection${title}`, {
      path: own,
      method: 'delete',
      description: `delete collection of ${kind}`,
      parameters: [...places, ...style.deleteCollectionParameters, pretty],
      ...(style.collectionOptions && { body }),
      responses: { 200: 'Status' },
      action: 'deletecollection',
    })
  }
  if (verbs.includes('delete')) {
    add('delete', title, {
      path,
      method: 'delete',
      description: `delete ${withArticle(kind)}`,
      parameters: [...itemPlaces, ...DELETE_PARAMETERS, pretty],
      body,
      responses: { 200: response, 202: response },
      action: 'delete',
    })
  }
}

/** Adds the operations that read and change one object or subresource. */
function addItem({ add, kind, title, of, path, places, schema, patchTypes, style, verbs }: OperationTarget): void {
  if (verbs.includes('get')) {
    add('read', title, {
      path,
      method: 'get',
      description: `read ${of}the specified ${kind}`,
      parameters: [...places, ...style.readParameters, pretty],
      responses: { 200: schema },
      action: 'get',
    })
  }
  if (verbs.includes('update')) {
    add('replace', title, {
      path,
      method: 'put',
      description: `replace ${of}the specified ${kind}`,
      parameters: [...places, ...WRITE_PARAMETERS, pretty],
      body: { type: schema, required: true },
      responses: { 200: schema, 201: schema },
      action: 'put',
    })
  }
  if (verbs.includes('patch')) {
    add('patch', title, {
      path,
      method: 'patch',
      description: `partially update ${of}the specified ${kind}`,
      parameters: [...places, ...PATCH_PARAMETERS, pretty],
      consumes: patchTypes,
      body: { type: 'Patch', required: true },
      responses: { 200: schema, ...(style.patchCreates && { 201: schema }) },
      action: 'patch',
    })
  }
}

/**
 * Adds the operations of a subresource. They have its own kind if it has one (Scale, Eviction), otherwise that of the
 * parent.
 */
function addSubresource(parent: OperationTarget, name: string, part: Subresource, descriptions: Descriptions): void {
  const own = parent.style.ownViews ? part.kind : undefined
  const gvk = own && { group: own.group, version: own.version, kind: own.kind }
  const target: OperationTarget = {
    ...parent,
    add: gvk ? (verb, rest, operation) => parent.add(verb, rest, { ...operation, gvk }) : parent.add,
    title: `${parent.title}${identifier(name, true)}`,
    of: `${name} of `,
    path: `${parent.path}/${name}`,
    schema: part.kind?.schema ?? parent.schema,
    ...(own && { patchTypes: dialectOf(own.schema).patchTypes(false).taken }),
    verbs: part.verbs,
  }
  if (part.connect) {
    addConnect(target, part.connect, descriptions)
    return
  }
  addItem(target)
  if (part.verbs.includes('create')) addCreate(target, `create ${name} of ${withArticle(parent.kind)}`)
}

/** Adds the operations of a subresource that connects to another server. Logs are reads; all others are connections. */
function addConnect(
  { add, title, of, kind, path, places, style }: OperationTarget,
  connect: ConnectSubresource,
  descriptions: Descriptions,
): void {
  const what = `${of}a ${kind}`
  if (connect.how === 'log') {
    add('read', title, {
      path,
      method: 'get',
      description: `read the ${what}`,
      parameters: [...places, ...optionParameters(connect.options, descriptions), pretty],
      produces: ['text/plain', ...style.produces],
      responses: { 200: 'Text' },
      action: 'get',
    })
    return
  }
  for (const { verb, suffix, ...operation } of connectOperations(
    connect,
    { path, parameters: places },
    `connect to the ${what}`,
    descriptions,
  ))
    add('connect', `${verb}${title}${suffix}`, operation)
}
