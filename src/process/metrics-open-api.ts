import { createHash } from 'node:crypto'
import { readDescriptions } from '../api/descriptions.ts'
import { CatalogSnapshot } from '../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { typesOf } from '../catalog/types.ts'
import type { OpenApiDocuments } from '../cluster/metrics-server/metrics-server.ts'
import { relativeUrl } from '../endpoints/openapi/document-cache.ts'
import { createOpenApi, type DocumentPieces, type OpenApi } from '../endpoints/openapi/open-api.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import type { Release } from '../lifecycle/release.ts'

/** Packages of the declared types by version. */
const PACKAGES: Readonly<Record<string, string>> = { v1: 'metrics', v1beta1: 'metricsV1beta1' }

/** Makes the documents of the metrics API. */
export const createMetricsOpenApi = (release: Release, versions: readonly string[]): OpenApi =>
  createOpenApi(new CatalogSnapshot(1, metricsDefinitions(release, versions), release), readDescriptions)

/**
 * Returns the OpenAPI documents of the metrics API, in which the types of metadata are those of the server. A document
 * is made when it is first requested, in turns, and kept.
 * @param versions served versions, such as `v1beta1`
 */
export function metricsOpenApi(release: Release, versions: readonly string[]): OpenApiDocuments {
  let openApi: OpenApi | undefined
  const documents = (): OpenApi => {
    openApi ??= createMetricsOpenApi(release, versions)
    return openApi
  }
  const made = new Map<string, Promise<Buffer>>()
  const once = (path: string, pieces: () => DocumentPieces): Promise<Buffer> => {
    const known = made.get(path)
    if (known) return known
    const document = gathered(pieces())
    made.set(path, document)
    return document
  }
  const v3 = (path: string): Promise<Buffer> => once(path, () => documents().v3(path))
  return {
    v2: () => once('v2', () => documents().v2()),
    async v3Index() {
      const paths: [string, object][] = []
      for (const path of documents().paths())
        paths.push([
          path,
          {
            serverRelativeURL: relativeUrl(
              path,
              createHash('sha512')
                .update(await v3(path))
                .digest('hex')
                .toUpperCase(),
            ),
          },
        ])
      return Buffer.from(JSON.stringify({ paths: Object.fromEntries(paths) }))
    },
    v3: async path => (documents().has(path) ? v3(path) : undefined),
  }
}

async function gathered(pieces: DocumentPieces): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const piece of pieces) {
    if (piece) parts.push(piece)
    if (turnIsLong()) await nextLongTurn()
  }
  return Buffer.concat(parts)
}

/** Definitions of the resources as the documents need them: they are stored nowhere. */
function metricsDefinitions(release: Release, versions: readonly string[]): ResourceDefinition[] {
  const types = typesOf(release)
  const definition = (scope: ResourceDefinition['scope'], kind: string, plural: string): ResourceDefinition[] => {
    const [hub, ...others] = versions.map(
      (name): Version => ({
        group: 'metrics.k8s.io',
        name,
        kind,
        names: { plural, singular: '' },
        verbs: ['get', 'list'],
        schema: types.type(`${PACKAGES[name]}.${kind}`),
      }),
    )
    return hub ? [{ scope, versions: [hub, ...others], hub }] : []
  }
  return [...definition('Cluster', 'NodeMetrics', 'nodes'), ...definition('Namespaced', 'PodMetrics', 'pods')]
}
