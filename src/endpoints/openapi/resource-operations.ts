import type { CatalogSnapshot, ServedResource } from '../../catalog/catalog.ts'
import type { ConnectSubresource } from '../../catalog/connect.ts'
import type { Subresource } from '../../catalog/definition.ts'
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from '../../codec/negotiate.ts'
import type { Descriptions } from '../../schema/openapi/descriptions.ts'
import type { StructSchema } from '../../schema/schema.ts'
import { dialectOf } from '../dialect/dialect-of.ts'
import { connectOperations, optionParameters } from './connect-operations.ts'
import { groupName, identifier } from './identifiers.ts'
import { METHODS, type Operation, type TypeRef } from './operation.ts'
import {
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  nameParameter,
  namespaceParameter,
  type Parameter,
  patchParameters,
  pretty,
  writeParameters,
} from './parameters.ts'

/** Media types of answers that are not streamed. */
export const plainTypes = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE]
const streamTypes = [...plainTypes, `${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`]

/** Every operation on the resources of a group and version, paths in the order of bytes. */
export function resourceOperations(snapshot: CatalogSnapshot, groupVersion: string, descriptions: Descriptions): Operation[] {
  return snapshot
    .resourcesOf(groupVersion)
    .flatMap(served => operationsOf(served, descriptions))
    .sort((a, b) => (a.path === b.path ? METHODS.indexOf(a.method) - METHODS.indexOf(b.method) : a.path < b.path ? -1 : 1))
}

/** Adds an operation. Its id is `verb`, group and version, and `rest`: `listCoreV1NamespacedPod`. */
type Add = (verb: string, rest: string, operation: Omit<Operation, 'id' | 'tag' | 'consumes' | 'produces'> & Partial<Operation>) => void

/** What the operations of a resource, or of one of its subresources, are made from. */
interface Target {
  readonly add: Add
  /** Of the parent, which descriptions name. */
  readonly kind: string
  /** How the ids of its operations end: `NamespacedPod`, `NamespacedPodStatus`. */
  readonly title: string
  /** Stands before the kind in descriptions: `status of `. */
  readonly of: string
  /** The path of one object. */
  readonly path: string
  /** The parameters in that path. */
  readonly places: readonly Parameter[]
  readonly schema: StructSchema
  readonly verbs: readonly string[]
}

/** The paths of a resource below which its collections are. */
interface Collections {
  /** `/api/v1`, `/apis/apps/v1` */
  readonly root: string
  /** Of all namespaces, where there are namespaces; of the cluster otherwise. */
  readonly all: string
  /** Of one namespace, with the namespace as a parameter; the same as `all` where there are none. */
  readonly own: string
  readonly namespaced: boolean
  /** The parameters in `own`. */
  readonly places: readonly Parameter[]
}

/** Every operation on a resource and its subresources, by the verbs of each. */
function operationsOf(served: ServedResource, descriptions: Descriptions): Operation[] {
  const { definition, version } = served
  const { group, name, kind, schema, verbs } = version
  const collections = collectionsOf(served)
  const groupVersionName = `${identifier(groupName(group), true)}${identifier(name, true)}`
  // Upstream declares that any body is consumed, whatever it is.
  const common = { tag: `${identifier(groupName(group), false)}_${name}`, consumes: ['*/*'], produces: plainTypes, gvk: { group, version: name, kind } }
  const out: Operation[] = []
  const add: Add = (verb, rest, operation) => out.push({ ...common, ...operation, id: `${verb}${groupVersionName}${rest}` })
  const target: Target = {
    add,
    kind,
    title: `${definition.scope === 'Namespaced' ? 'Namespaced' : ''}${kind}`,
    of: '',
    path: `${collections.own}/{name}`,
    places: [...collections.places, nameParameter(kind)],
    schema,
    verbs,
  }
  addLists(target, collections, served)
  if (verbs.includes('create')) addCreate({ ...target, path: collections.own, places: collections.places }, `create a ${kind}`)
  addDeletions(target, collections, definition.strategy?.returnsDeleted ? schema : 'Status')
  addItem(target)
  if (verbs.includes('watch')) addWatches(target, collections)
  for (const [subresource, part] of Object.entries(version.subresources ?? {})) addSubresource(target, subresource, part, descriptions)
  return out
}

/** A namespaced kind has a path for each namespace, and one for all. */
function collectionsOf({ definition, version }: ServedResource): Collections {
  const { group, name, names } = version
  const root = group === '' ? `/api/${name}` : `/apis/${group}/${name}`
  const all = `${root}/${names.plural}`
  if (definition.scope !== 'Namespaced') return { root, all, own: all, namespaced: false, places: [] }
  return { root, all, own: `${root}/namespaces/{namespace}/${names.plural}`, namespaced: true, places: [namespaceParameter] }
}

/** Lists are watches, too, where the query says so. */
function addLists({ add, kind, title, verbs }: Target, { all, own, namespaced, places }: Collections, served: ServedResource): void {
  if (!verbs.includes('list')) return
  const operation = {
    method: 'get',
    description: `list objects of kind ${kind}, or watch them`,
    produces: verbs.includes('watch') ? streamTypes : plainTypes,
    responses: { 200: { list: served } },
    action: 'list',
  } as const
  add('list', title, { ...operation, path: own, parameters: [...places, ...listParameters, pretty] })
  if (namespaced) add('list', `${kind}ForAllNamespaces`, { ...operation, path: all, parameters: [...listParameters, pretty] })
}

/** The paths of watches that upstream has deprecated, below `watch/`. */
function addWatches({ add, kind, title, path: item, places: itemPlaces }: Target, { root, all, own, namespaced, places }: Collections): void {
  const watch = (path: string, rest: string, parameters: readonly Parameter[], action: 'watch' | 'watchlist'): void => {
    add('watch', rest, {
      path: `${root}/watch${path.slice(root.length)}`,
      method: 'get',
      description: `watch ${action === 'watch' ? 'an object' : 'objects'} of kind ${kind}. Deprecated: list with watch=true instead.`,
      parameters: [...parameters, ...listParameters, pretty],
      produces: streamTypes,
      responses: { 200: 'WatchEvent' },
      action,
    })
  }
  watch(own, `${title}List`, places, 'watchlist')
  if (namespaced) watch(all, `${kind}ListForAllNamespaces`, [], 'watchlist')
  watch(item, title, itemPlaces, 'watch')
}

/** `path` and `places` are those of the collection, or of the subresource. */
function addCreate({ add, title, path, places, schema }: Target, description: string): void {
  add('create', title, {
    path,
    method: 'post',
    description,
    parameters: [...places, ...writeParameters, pretty],
    body: { type: schema, required: true },
    responses: { 200: schema, 201: schema, 202: schema },
    action: 'post',
  })
}

/** `answer`: what the deletion of one object is answered with. */
function addDeletions({ add, kind, title, path, places: itemPlaces, verbs }: Target, { own, places }: Collections, answer: TypeRef): void {
  const body = { type: 'DeleteOptions', required: false } as const
  if (verbs.includes('deletecollection')) {
    add('delete', `Collection${title}`, {
      path: own,
      method: 'delete',
      description: `delete objects of kind ${kind}`,
      parameters: [...places, ...deleteCollectionParameters, pretty],
      body,
      responses: { 200: 'Status' },
      action: 'deletecollection',
    })
  }
  if (verbs.includes('delete')) {
    add('delete', title, {
      path,
      method: 'delete',
      description: `delete a ${kind}`,
      parameters: [...itemPlaces, ...deleteParameters, pretty],
      body,
      responses: { 200: answer, 202: answer },
      action: 'delete',
    })
  }
}

/** What reads and changes one object, or a subresource of one. */
function addItem({ add, kind, title, of, path, places, schema, verbs }: Target): void {
  if (verbs.includes('get')) {
    add('read', title, { path, method: 'get', description: `read ${of}a ${kind}`, parameters: [...places, pretty], responses: { 200: schema }, action: 'get' })
  }
  // 201 where the write has created: an update may, and an apply.
  const responses = { 200: schema, 201: schema }
  if (verbs.includes('update')) {
    add('replace', title, {
      path,
      method: 'put',
      description: `replace ${of}a ${kind}`,
      parameters: [...places, ...writeParameters, pretty],
      body: { type: schema, required: true },
      responses,
      action: 'put',
    })
  }
  if (verbs.includes('patch')) {
    add('patch', title, {
      path,
      method: 'patch',
      description: `change ${of}a ${kind} in part`,
      parameters: [...places, ...patchParameters, pretty],
      consumes: dialectOf(schema).patchTypes(false).taken,
      body: { type: 'Patch', required: true },
      responses,
      action: 'patch',
    })
  }
}

/** Of its own kind where it has one (Scale, Eviction); a view of the parent otherwise. */
function addSubresource(parent: Target, name: string, part: Subresource, descriptions: Descriptions): void {
  const gvk = part.kind && { group: part.kind.group, version: part.kind.version, kind: part.kind.kind }
  const target: Target = {
    ...parent,
    add: gvk ? (verb, rest, operation) => parent.add(verb, rest, { ...operation, gvk }) : parent.add,
    title: `${parent.title}${identifier(name, true)}`,
    of: `${name} of `,
    path: `${parent.path}/${name}`,
    schema: part.kind?.schema ?? parent.schema,
    verbs: part.verbs,
  }
  if (part.connect) {
    addConnect(target, part.connect, descriptions)
    return
  }
  addItem(target)
  if (part.verbs.includes('create')) addCreate(target, `create ${name} of a ${parent.kind}`)
}

/** What reaches out of the server: a log is read, anything else is a connection. */
function addConnect({ add, title, of, kind, path, places }: Target, connect: ConnectSubresource, descriptions: Descriptions): void {
  const what = `${of}a ${kind}`
  if (connect.how === 'log') {
    add('read', title, {
      path,
      method: 'get',
      description: `read the ${what}`,
      parameters: [...places, ...optionParameters(connect.options, descriptions), pretty],
      produces: ['text/plain', ...plainTypes],
      responses: { 200: 'Text' },
      action: 'get',
    })
    return
  }
  for (const { verb, suffix, ...operation } of connectOperations(connect, { path, parameters: places }, `connect to the ${what}`, descriptions))
    add('connect', `${verb}${title}${suffix}`, operation)
}
