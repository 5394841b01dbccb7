import type { CatalogSnapshot, ServedResource } from '../../catalog/catalog.ts'
import type { ConnectSubresource } from '../../catalog/connect.ts'
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from '../../codec/negotiate.ts'
import type { Descriptions } from '../../schema/openapi/descriptions.ts'
import type { StructSchema } from '../../schema/schema.ts'
import { dialectOf } from '../dialect/dialect-of.ts'
import { type ConnectPlace, connectOperations, optionParameters } from './connect-operations.ts'
import type { Method, Operation, TypeRef } from './operation.ts'
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

const plainTypes = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE]
const streamTypes = [...plainTypes, `${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`]
const reasons: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

export const reasonOf = (status: number): string => reasons[status] ?? ''

/** `rbac.authorization.k8s.io` → `rbacAuthorization`; a letter after something else is a capital. */
function identifier(text: string, capital: boolean): string {
  let out = ''
  let up = capital
  for (const [i, char] of [...text].entries()) {
    if (/[\p{L}_]/u.test(char) || (i > 0 && /\p{Nd}/u.test(char))) {
      out += up ? char.toUpperCase() : char
      up = false
    } else up = true
  }
  return out
}

const groupName = (group: string): string => (group === '' ? 'core' : group.replace(/\.k8s\.io$/, ''))

/** Every operation on the resources of a group and version, paths in the order of bytes. */
function resourceOperations(snapshot: CatalogSnapshot, groupVersion: string, descriptions: Descriptions): Operation[] {
  return snapshot
    .resourcesOf(groupVersion)
    .flatMap(served => operationsOf(served, descriptions))
    .sort((a, b) => (a.path === b.path ? methods.indexOf(a.method) - methods.indexOf(b.method) : a.path < b.path ? -1 : 1))
}

const methods: readonly Method[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

function operationsOf(served: ServedResource, descriptions: Descriptions): Operation[] {
  const { definition, version } = served
  const { group, name, kind, schema, verbs } = version
  const plural = version.names.plural
  const root = group === '' ? `/api/${name}` : `/apis/${group}/${name}`
  const namespaced = definition.scope === 'Namespaced'
  const scope = namespaced ? 'Namespaced' : ''
  const inNamespace = namespaced ? [namespaceParameter] : []
  const collection = `${root}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`
  const item = `${collection}/{name}`
  const prefix = `${identifier(groupName(group), true)}${identifier(name, true)}`
  const tag = `${identifier(groupName(group), false)}_${name}`
  const gvk = { group, version: name, kind }
  const out: Operation[] = []
  const add: Add = (verb, rest, operation) => {
    out.push({ tag, consumes: ['*/*'], produces: plainTypes, gvk, ...operation, id: `${verb}${prefix}${rest}` })
  }
  const listed: TypeRef = { list: served }
  const list = (path: string, rest: string, places: Parameter[]): void => {
    add('list', rest, {
      path,
      method: 'get',
      description: `list objects of kind ${kind}, or watch them`,
      parameters: [...places, ...listParameters, pretty],
      produces: verbs.includes('watch') ? streamTypes : plainTypes,
      responses: { 200: listed },
      action: 'list',
    })
  }
  const watch = (path: string, rest: string, places: Parameter[], action: 'watch' | 'watchlist'): void => {
    add('watch', rest, {
      path: `${root}/watch${path.slice(root.length)}`,
      method: 'get',
      description: `watch ${action === 'watch' ? 'an object' : 'objects'} of kind ${kind}. Deprecated: list with watch=true instead.`,
      parameters: [...places, ...listParameters, pretty],
      produces: streamTypes,
      responses: { 200: 'WatchEvent' },
      action,
    })
  }

  const one = [...inNamespace, nameParameter(kind)]
  if (verbs.includes('list')) list(collection, `${scope}${kind}`, inNamespace)
  if (verbs.includes('list') && namespaced) list(`${root}/${plural}`, `${kind}ForAllNamespaces`, [])
  if (verbs.includes('create')) {
    add('create', `${scope}${kind}`, {
      path: collection,
      method: 'post',
      description: `create a ${kind}`,
      parameters: [...inNamespace, ...writeParameters, pretty],
      body: { type: schema, required: true },
      responses: { 200: schema, 201: schema, 202: schema },
      action: 'post',
    })
  }
  if (verbs.includes('deletecollection')) {
    add('delete', `Collection${scope}${kind}`, {
      path: collection,
      method: 'delete',
      description: `delete objects of kind ${kind}`,
      parameters: [...inNamespace, ...deleteCollectionParameters, pretty],
      body: { type: 'DeleteOptions', required: false },
      responses: { 200: 'Status' },
      action: 'deletecollection',
    })
  }
  itemOperations(add, item, `${scope}${kind}`, kind, '', verbs, one, schema)
  if (verbs.includes('delete')) {
    const answer: TypeRef = definition.strategy?.returnsDeleted ? schema : 'Status'
    add('delete', `${scope}${kind}`, {
      path: item,
      method: 'delete',
      description: `delete a ${kind}`,
      parameters: [...one, ...deleteParameters, pretty],
      body: { type: 'DeleteOptions', required: false },
      responses: { 200: answer, 202: answer },
      action: 'delete',
    })
  }
  if (verbs.includes('watch')) {
    watch(collection, `${scope}${kind}List`, inNamespace, 'watchlist')
    if (namespaced) watch(`${root}/${plural}`, `${kind}ListForAllNamespaces`, [], 'watchlist')
    watch(item, `${scope}${kind}`, one, 'watch')
  }
  for (const [subresource, part] of Object.entries(version.subresources ?? {})) {
    const partKind = part.kind ? { group: part.kind.group, version: part.kind.version, kind: part.kind.kind } : gvk
    const partSchema = part.kind?.schema ?? schema
    const title = `${scope}${kind}${identifier(subresource, true)}`
    const addPart: Add = (verb, rest, operation) => add(verb, rest, { ...operation, gvk: partKind })
    if (part.connect) {
      addConnect(addPart, part.connect, { path: `${item}/${subresource}`, parameters: one }, title, `${subresource} of a ${kind}`, descriptions)
      continue
    }
    itemOperations(addPart, `${item}/${subresource}`, title, kind, `${subresource} of `, part.verbs, one, partSchema)
    if (part.verbs.includes('create')) {
      addPart('create', title, {
        path: `${item}/${subresource}`,
        method: 'post',
        description: `create ${subresource} of a ${kind}`,
        parameters: [...one, ...writeParameters, pretty],
        body: { type: partSchema, required: true },
        responses: { 200: partSchema, 201: partSchema, 202: partSchema },
        action: 'post',
      })
    }
  }
  return out
}

type Add = (verb: string, rest: string, operation: Omit<Operation, 'id' | 'tag' | 'consumes' | 'produces'> & Partial<Operation>) => void

/** What reaches out of the server: a log is read, anything else is a connection. */
function addConnect(add: Add, connect: ConnectSubresource, place: ConnectPlace, title: string, what: string, descriptions: Descriptions): void {
  if (connect.how === 'log') {
    add('read', title, {
      ...place,
      method: 'get',
      description: `read the ${what}`,
      parameters: [...place.parameters, ...optionParameters(connect.options, descriptions), pretty],
      produces: ['text/plain', ...plainTypes],
      responses: { 200: 'Text' },
      action: 'get',
    })
    return
  }
  for (const { verb, suffix, ...operation } of connectOperations(connect, place, `connect to the ${what}`, descriptions))
    add('connect', `${verb}${title}${suffix}`, operation)
}

function itemOperations(
  add: Add,
  path: string,
  title: string,
  kind: string,
  of: string,
  verbs: readonly string[],
  places: readonly Parameter[],
  schema: StructSchema,
): void {
  if (verbs.includes('get')) {
    add('read', title, { path, method: 'get', description: `read ${of}a ${kind}`, parameters: [...places, pretty], responses: { 200: schema }, action: 'get' })
  }
  const changed = { 200: schema, 201: schema }
  if (verbs.includes('update')) {
    const parameters = [...places, ...writeParameters, pretty]
    add('replace', title, {
      path,
      method: 'put',
      description: `replace ${of}a ${kind}`,
      parameters,
      body: { type: schema, required: true },
      responses: changed,
      action: 'put',
    })
  }
  if (verbs.includes('patch')) {
    const parameters = [...places, ...patchParameters, pretty]
    const body = { type: 'Patch', required: true } as const
    add('patch', title, {
      path,
      method: 'patch',
      description: `change ${of}a ${kind} in part`,
      parameters,
      consumes: dialectOf(schema).patchTypes(false).taken,
      body,
      responses: changed,
      action: 'patch',
    })
  }
}

const discovery = (path: string, id: string, tag: string, description: string, type: TypeRef, types: readonly string[] = plainTypes): Operation => ({
  path,
  method: 'get',
  id,
  tag,
  description,
  parameters: [],
  consumes: types,
  produces: types,
  responses: { 200: type },
})

/** What tells others how to check tokens of service accounts (`auth/authn/service-account/discovery.ts`). */
const issuerDocument = (path: string, id: string, tag: string, description: string, type: string): Operation => ({
  ...discovery(path, id, tag, description, 'Text', [type]),
  consumes: [],
})

/** The documents of `/openapi/v3`, by path without the leading slash (`api/v1`, `apis/apps`), with the operations in each. */
export function documentOperations(snapshot: CatalogSnapshot, descriptions: () => Descriptions): Map<string, () => Operation[]> {
  const documents = new Map<string, () => Operation[]>()
  const groupVersions = snapshot.servedGroupVersions()
  documents.set('api', () => [discovery('/api/', 'getCoreAPIVersions', 'core', 'get the versions of the core group', 'APIVersions')])
  documents.set('apis', () => [discovery('/apis/', 'getAPIVersions', 'apis', 'get the groups and their versions', 'APIGroupList')])
  documents.set('version', () => [discovery('/version/', 'getCodeVersion', 'version', 'get the version of this server', 'VersionInfo', [JSON_TYPE])])
  const what = 'of the issuer of tokens of service accounts'
  documents.set('.well-known/openid-configuration', () => [
    issuerDocument(
      '/.well-known/openid-configuration/',
      'getServiceAccountIssuerOpenIDConfiguration',
      'WellKnown',
      `get the OpenID configuration ${what}`,
      JSON_TYPE,
    ),
  ])
  documents.set('openid/v1/jwks', () => [
    issuerDocument('/openid/v1/jwks/', 'getServiceAccountIssuerOpenIDKeyset', 'openid', `get the public keys ${what}`, 'application/jwk-set+json'),
  ])
  for (const groupVersion of groupVersions) {
    const [group, version] = groupVersion.includes('/') ? (groupVersion.split('/') as [string, string]) : ['', groupVersion]
    const root = group === '' ? `api/${version}` : `apis/${group}/${version}`
    const name = groupName(group)
    const title = `${identifier(name, true)}${identifier(version, true)}`
    if (group !== '')
      documents.set(`apis/${group}`, () => [
        discovery(`/apis/${group}/`, `get${identifier(name, true)}APIGroup`, identifier(name, false), 'get the versions of a group', 'APIGroup'),
      ])
    documents.set(root, () => [
      discovery(`/${root}/`, `get${title}APIResources`, `${identifier(name, false)}_${version}`, 'get the resources of a version', 'APIResourceList'),
      ...resourceOperations(snapshot, groupVersion, descriptions()),
    ])
  }
  return new Map([...documents].sort(([a], [b]) => (a < b ? -1 : 1)))
}
