import { type JsonObject, objectIn } from '../../../api/meta/object.ts'
import { type ClusterClient, ClusterError } from '../../../clients/cluster-client.ts'
import { type ListedResource, listedResources, listPages } from '../../../clients/cluster-lists.ts'
import { compareReleases, type Release } from '../../../lifecycle/release.ts'
import { labelOf } from '../../convert.ts'
import type { ExaminedObject } from '../examine-object.ts'
import type { Finding } from '../finding.ts'
import type { Examined } from '../report.ts'
import { writtenVersions } from '../written-as.ts'
import { isImplied } from './implied.ts'

/** Returns the release of the server, such as `1.29`. Throws ClusterError. */
export async function releaseOf(client: ClusterClient): Promise<Release> {
  const version = await client.json('/version')
  const { gitVersion } = objectIn(version)
  const minor = /^v?1\.(\d+)/.exec(typeof gitVersion === 'string' ? gitVersion : '')?.[1]
  if (minor === undefined) throw new ClusterError(`${client.server.origin}: its release is unknown: set it with --from`)
  return `1.${Number(minor)}`
}

/** Reads all objects of a server, and its metrics about requests. Throws ClusterError if it cannot be reached. */
export async function examineCluster(client: ClusterClient, to: Release): Promise<Examined> {
  const findings: Finding[] = []
  const listed = await listedResources(
    client,
    name => SKIPPED.has(name),
    (path, error) => findings.push(unreadableResource(client, path, error)),
  )
  findings.push(...(await requestFindings(client, to)))
  return { name: client.server.origin, subjects: subjectsOf(client, listed, findings), findings }
}

async function* subjectsOf(client: ClusterClient, listed: readonly ListedResource[], findings: Finding[]): AsyncGenerator<ExaminedObject> {
  for (const resource of listed)
    try {
      for await (const { items } of listPages(client, resource.path))
        for (const item of items) if (!isImplied(item)) yield clusterObject(client, resource, item)
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error
      findings.push(unreadableResource(client, resource.path, error))
    }
}

const unreadableResource = ({ server }: ClusterClient, path: string, { message }: ClusterError): Finding => ({
  rule: 'unreadable',
  level: 'warning',
  subject: path,
  place: { source: server.origin },
  message,
})

/**
 * Completes an item of a list, which states no type. Versions are those by which managers have written it, since the
 * server converts what it lists.
 */
function clusterObject({ server }: ClusterClient, { apiVersion, kind, path }: ListedResource, value: JsonObject): ExaminedObject {
  const { namespace, name, ...metadata } = objectIn(value.metadata)
  const own = typeof namespace === 'string' ? path.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`) : path
  return {
    value: { ...value, apiVersion, kind },
    apiVersion,
    kind,
    label: labelOf({ value, kind }),
    place: { source: `${server.origin}${own}/${typeof name === 'string' ? name : ''}` },
    written: writtenVersions(metadata, kind),
    isListed: true,
  }
}

/** Resources that are not listed: events are short-lived, and component statuses are not stored. */
const SKIPPED = new Set(['events', 'componentstatuses'])

/**
 * Reports the metric `apiserver_requested_deprecated_apis`: deprecated versions that were requested since the server
 * started.
 */
async function requestFindings(client: ClusterClient, to: Release): Promise<Finding[]> {
  try {
    const metrics = await client.text('/metrics')
    return [...metrics.matchAll(/^apiserver_requested_deprecated_apis\{([^}\n\r\u2028\u2029]*)\} 1$/gm)].flatMap(
      ([, labels = '']) => requestFinding(client, labels, to) ?? [],
    )
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    return [unreadableResource(client, '/metrics', error)]
  }
}

/** `labels`: those of one sample of the metric, in the text format of Prometheus. */
function requestFinding({ server }: ClusterClient, labels: string, to: Release): Finding | undefined {
  const values = new Map(Array.from(labels.matchAll(/(?<!\w)(\w+)="([^"]*)"/g), ([, name, value]) => [name, value]))
  const of = (name: string): string => values.get(name) ?? ''
  const minor = /^1\.(\d+)$/.exec(of('removed_release'))?.[1]
  const removed: Release | undefined = minor === undefined ? undefined : `1.${Number(minor)}`
  const isGone = removed !== undefined && compareReleases(removed, to) <= 0
  const name = [of('group'), of('version'), of('resource'), of('subresource')].filter(part => part !== '').join('/')
  return {
    rule: 'requested-version',
    level: isGone ? 'blocking' : 'warning',
    subject: name,
    place: { source: `${server.origin}/metrics` },
    message: `clients have requested it since the server started, and it is ${isGone ? `not served from ${removed} on` : 'deprecated'}`,
    advice: 'find them in the audit log: the annotation k8s.io/deprecated is true',
    ...(removed !== undefined && { since: removed }),
  }
}
