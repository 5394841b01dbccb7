import type { CatalogSnapshot, ServedResource } from '../../catalog/catalog.ts'
import { JSON_TYPE } from '../../codec/accept-header.ts'
import { parseApiVersion } from '../../meta/gvk.ts'
import type { Descriptions } from '../../schema/openapi/descriptions.ts'
import { groupName, identifier } from './identifiers.ts'
import type { Operation } from './operation.ts'
import { BUILT_IN_TYPES, operationStyle } from './operation-style.ts'
import { resourceOperations } from './resource-operations.ts'

/** A discovery document: read by its path, without parameters. */
type DocumentRead = Pick<Operation, 'path' | 'id' | 'tag' | 'description'>

const reads = (document: DocumentRead, type: Operation['responses'][number], types: readonly string[] = BUILT_IN_TYPES): Operation => ({
  ...document,
  method: 'get',
  parameters: [],
  consumes: types,
  produces: types,
  responses: { 200: type },
})

/** Documents with which other services verify service account tokens (`auth/authn/service-account/discovery.ts`). */
const issuerDocument = (document: DocumentRead, type: string): Operation => ({ ...reads(document, 'Text', [type]), consumes: [] })

/** A document of `/openapi/v3`: its path without the leading slash (`api/v1`, `apis/apps`), and its operations. */
type DocumentOperations = readonly [path: string, make: () => Operation[]]

const ISSUER = 'of the service account token issuer'

/** Documents that do not depend on the catalog. */
const FIXED: readonly DocumentOperations[] = [
  [
    'api',
    () => [
      reads({ path: '/api/', id: 'getCoreAPIVersions', tag: 'core', description: 'get the versions of the core group' }, 'APIVersions'),
    ],
  ],
  [
    'apis',
    () => [reads({ path: '/apis/', id: 'getAPIVersions', tag: 'apis', description: 'get the groups and their versions' }, 'APIGroupList')],
  ],
  [
    'version',
    () => [
      reads({ path: '/version/', id: 'getCodeVersion', tag: 'version', description: 'get the version of this server' }, 'VersionInfo', [
        JSON_TYPE,
      ]),
    ],
  ],
  [
    '.well-known/openid-configuration',
    () => [
      issuerDocument(
        {
          path: '/.well-known/openid-configuration/',
          id: 'getServiceAccountIssuerOpenIDConfiguration',
          tag: 'WellKnown',
          description: `get the OpenID configuration ${ISSUER}`,
        },
        JSON_TYPE,
      ),
    ],
  ],
  [
    'openid/v1/jwks',
    () => [
      issuerDocument(
        {
          path: '/openid/v1/jwks/',
          id: 'getServiceAccountIssuerOpenIDKeyset',
          tag: 'openid',
          description: `get the public keys ${ISSUER}`,
        },
        'application/jwk-set+json',
      ),
    ],
  ],
]

/**
 * Returns all documents of `/openapi/v3` in the order of their paths. `make` may be called repeatedly, and calls
 * `descriptions`.
 */
export function documentOperations(snapshot: CatalogSnapshot, descriptions: () => Descriptions): Map<string, () => Operation[]> {
  const documents = [
    ...FIXED,
    ...snapshot.servedGroupVersions().flatMap(groupVersion => groupVersionDocuments(snapshot, groupVersion, descriptions)),
  ]
  return new Map([...documents].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Reports whether the document of a group version includes the operation of its discovery. */
export const isDiscovered = (resources: readonly ServedResource[]): boolean =>
  resources.some(({ version: { schema } }) => operationStyle(schema).discoveryPaths)

/**
 * Returns the documents of a group and of one of its versions. The core group has no document of its own. Upstream does
 * not document discovery of custom resources.
 */
function groupVersionDocuments(snapshot: CatalogSnapshot, groupVersion: string, descriptions: () => Descriptions): DocumentOperations[] {
  const { group, version } = parseApiVersion(groupVersion) ?? { group: '', version: groupVersion }
  const name = groupName(group)
  const capital = identifier(name, true)
  const tag = identifier(name, false)
  const root = group === '' ? `api/${version}` : `apis/${group}/${version}`
  const resources = {
    path: `/${root}/`,
    id: `get${capital}${identifier(version, true)}APIResources`,
    tag: `${tag}_${version}`,
    description: 'get the resources of a version',
  }
  const withDiscovery = isDiscovered(snapshot.resourcesOf(groupVersion))
  const discovery = withDiscovery ? [reads(resources, 'APIResourceList')] : []
  const ofVersion: DocumentOperations = [root, () => [...discovery, ...resourceOperations(snapshot, groupVersion, descriptions())]]
  if (group === '' || !withDiscovery) return [ofVersion]
  const versions = { path: `/apis/${group}/`, id: `get${capital}APIGroup`, tag, description: 'get the versions of a group' }
  return [[`apis/${group}`, () => [reads(versions, 'APIGroup')]], ofVersion]
}
