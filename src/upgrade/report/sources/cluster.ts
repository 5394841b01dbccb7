import { type ClusterClient, ClusterError } from '../../../clients/cluster-client.ts'
import { compareReleases, type Release } from '../../../lifecycle/release.ts'
import { objectsIn } from '../../../meta/json-members.ts'
import { isJsonObject, type Json, type JsonObject, objectIn } from '../../../meta/object.ts'
import { labelOf } from '../../convert.ts'
import type { Subject } from '../examine-object.ts'
import type { Finding } from '../finding.ts'
import type { Examined } from '../report.ts'
import { writtenVersions } from '../written-as.ts'
import { isImplied } from './implied.ts'

/** Objects of a page of a list. */
const PAGE = 250

/** A resource that can be listed, in the version that the server prefers. */
interface Listed {
  readonly apiVersion: string
  readonly kind: string
  readonly path: string
}

/** `1.29` of the server. Throws ClusterError. */
export async function releaseOf(client: ClusterClient): Promise<Release> {
  const version = await client.json('/version')
  const { gitVersion } = objectIn(version)
  const minor = /^v?1\.(\d+)/.exec(typeof gitVersion === 'string' ? gitVersion : '')?.[1]
  if (minor === undefined) throw new ClusterError(`${client.server.origin}: it does not say which release it is: name it by --from`)
  return `1.${Number(minor)}`
}

/** Everything that a server stores and lists, and what its metrics say of requests. Throws ClusterError if it can't be reached. */
export async function examineCluster(client: ClusterClient, to: Release): Promise<Examined> {
  const findings: Finding[] = []
  const listed = await listedResources(client, findings)
  findings.push(...(await requestFindings(client, to)))
  return { name: client.server.origin, subjects: subjectsOf(client, listed, findings), findings }
}

async function* subjectsOf(client: ClusterClient, listed: readonly Listed[], findings: Finding[]): AsyncGenerator<Subject> {
  for (const resource of listed)
    try {
      for await (const item of itemsOf(client, resource)) if (!isImplied(item)) yield subjectOf(client, resource, item)
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error
      findings.push(unreadable(client, resource.path, error))
    }
}

const unreadable = ({ server }: ClusterClient, path: string, { message }: ClusterError): Finding => ({
  rule: 'unreadable',
  level: 'warning',
  subject: path,
  place: { source: server.origin },
  message,
})

function subjectOf({ server }: ClusterClient, { apiVersion, kind, path }: Listed, value: JsonObject): Subject {
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

/** Page by page. */
async function* itemsOf(client: ClusterClient, { path }: Listed): AsyncGenerator<JsonObject> {
  let rest = ''
  do {
    const page: Json = await client.json(`${path}?limit=${PAGE}${rest === '' ? '' : `&continue=${encodeURIComponent(rest)}`}`)
    const { items, metadata } = objectIn(page)
    yield* objectsIn(items)
    const next = isJsonObject(metadata) && typeof metadata.continue === 'string' ? metadata.continue : ''
    if (next !== '' && next === rest) throw new ClusterError(`${path}: the list does not go on: a page names itself as the next`)
    rest = next
  } while (rest !== '')
}

/** Not asked: events pass, and what nobody stores. */
const SKIPPED = new Set(['events', 'componentstatuses'])

async function listedResources(client: ClusterClient, findings: Finding[]): Promise<Listed[]> {
  const groups = await client.json('/apis')
  const preferred = objectsIn(isJsonObject(groups) ? groups.groups : []).flatMap(({ preferredVersion, versions }) => versionsToList(preferredVersion, versions))
  const listed = new Map<string, Listed>()
  for (const version of ['v1', ...preferred])
    try {
      const path = version === 'v1' ? '/api/v1' : `/apis/${version}`
      const answer = await client.json(path)
      for (const { name, kind, verbs } of objectsIn(isJsonObject(answer) ? answer.resources : [])) {
        const id = `${version.includes('/') ? version.slice(0, version.indexOf('/')) : ''}/${String(name)}`
        if (typeof name !== 'string' || typeof kind !== 'string' || name.includes('/') || SKIPPED.has(name) || listed.has(id)) continue
        if (Array.isArray(verbs) && verbs.includes('list')) listed.set(id, { apiVersion: version, kind, path: `${path}/${name}` })
      }
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error
      findings.push(unreadable(client, `/apis/${version}`, error))
    }
  return [...listed.values()]
}

/** The preferred one first: others may have resources that it has not. */
function versionsToList(preferred: Json | undefined, versions: Json | undefined): string[] {
  const nameOf = (version: Json | undefined): string[] => (isJsonObject(version) && typeof version.groupVersion === 'string' ? [version.groupVersion] : [])
  return [...new Set([...nameOf(preferred), ...objectsIn(versions).flatMap(nameOf)])]
}

/** `apiserver_requested_deprecated_apis`: what has been asked for since the server began. */
async function requestFindings(client: ClusterClient, to: Release): Promise<Finding[]> {
  try {
    const metrics = await client.text('/metrics')
    return [...metrics.matchAll(/^apiserver_requested_deprecated_apis\{([^}]*)\} 1$/gm)].flatMap(([, labels = '']) => requestFinding(client, labels, to) ?? [])
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    return [unreadable(client, '/metrics', error)]
  }
}

function requestFinding({ server }: ClusterClient, labels: string, to: Release): Finding | undefined {
  const of = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? ''
  const minor = /^1\.(\d+)$/.exec(of('removed_release'))?.[1]
  const removed: Release | undefined = minor === undefined ? undefined : `1.${Number(minor)}`
  const isGone = removed !== undefined && compareReleases(removed, to) <= 0
  const name = [of('group'), of('version'), of('resource'), of('subresource')].filter(part => part !== '').join('/')
  return {
    rule: 'requested-version',
    level: isGone ? 'blocking' : 'warning',
    subject: name,
    place: { source: `${server.origin}/metrics` },
    message: `clients have asked for it since the server began, and it is ${isGone ? `not served from ${removed} on` : 'deprecated'}`,
    advice: 'find them in the audit log: the annotation k8s.io/deprecated is true',
    ...(removed !== undefined && { since: removed }),
  }
}
