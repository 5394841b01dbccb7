import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { hasMembers } from '../meta/equal.ts'
import { manifestFiles, readManifestFile, readManifests } from '../upgrade/manifests.ts'
import { type Client, USER_AGENT } from './client.ts'
import type { ClientResponse, Manifest, Manifests } from './types.ts'

/** Time to wait for a definition to be served, in milliseconds. It usually takes a few. */
const SERVED_MS = 30_000
const LOOK_MS = 10

/** Kinds that are applied first, because other objects depend on them. */
const FIRST = ['Namespace', 'CustomResourceDefinition']

/** Parses manifests into objects. Throws ManifestError. */
export function parseManifests(manifests: readonly Manifests[]): Manifest[] {
  return manifests.flatMap(given => {
    if (typeof given === 'string') return readManifests('manifest', given).objects.map(withType)
    if (given instanceof URL) return manifestFiles([fileURLToPath(given)]).flatMap(file => readManifestFile(file).objects.map(withType))
    return [given]
  })
}

/** Adds apiVersion and kind, which items of typed lists lack. */
const withType = ({
  value,
  apiVersion,
  kind,
}: {
  readonly value: object
  readonly apiVersion: string
  readonly kind: string
}): Manifest => ({
  ...value,
  apiVersion,
  kind,
})

/**
 * Applies objects one after the other, namespaces and definitions first. Resolves to the stored objects in the given
 * order. Rejects with an Error that names the rejected object.
 */
export async function applyAll(client: Client, objects: readonly Manifest[]): Promise<Manifest[]> {
  const rank = ({ kind = '' }: Manifest): number => (FIRST.indexOf(kind) + FIRST.length + 1) % (FIRST.length + 1)
  const applied = new Map<Manifest, Manifest>()
  for (const object of objects.toSorted((a, b) => rank(a) - rank(b))) applied.set(object, await applyOne(client, object))
  return objects.map(object => applied.get(object) ?? object)
}

/** Applies one object. A definition is awaited until it is served. */
async function applyOne(client: Client, object: Manifest): Promise<Manifest> {
  const what = `${object.apiVersion}, ${object.kind} ${object.metadata?.name}`
  const path = await discoverPath(client, object, what)
  const query = `fieldManager=${USER_AGENT}&force=true`
  const answer = await client.request('PATCH', `${path}?${query}`, { body: object, contentType: 'application/apply-patch+yaml' })
  if (answer.status >= 300 || !hasMembers(answer.body)) throw new Error(`${what}: ${answerMessage(answer)}`)
  if (object.kind === 'CustomResourceDefinition') await untilEstablished(client, path, what)
  return answer.body
}

/** Path of an object, from discovery. A newly defined kind may take a moment to appear. */
async function discoverPath(client: Client, { apiVersion = '', kind, metadata = {} }: Manifest, what: string): Promise<string> {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const { name, namespace = 'default' } = metadata
  if (!name) throw new Error(`${what}: metadata.name is missing`)
  const { status, body } = await client.request('GET', root)
  const resources = status === 200 && hasMembers(body) && Array.isArray(body.resources) ? body.resources : []
  const found = resources.filter(hasMembers).find(resource => resource.kind === kind && !`${resource.name}`.includes('/'))
  if (found === undefined) throw new Error(`${what}: the server serves no such kind`)
  return `${root}/${found.namespaced ? `namespaces/${namespace}/` : ''}${found.name}/${encodeURIComponent(name)}`
}

/** Waits until objects of the definition can be written. */
async function untilEstablished(client: Client, path: string, what: string): Promise<void> {
  const deadline = performance.now() + SERVED_MS
  for (;;) {
    const { body } = await client.request('GET', path)
    if (await isDiscovered(client, body)) return
    if (performance.now() > deadline) throw new Error(`${what}: not served: ${JSON.stringify(hasMembers(body) ? body.status : body)}`)
    await sleep(LOOK_MS)
  }
}

/** Whether the definition is established and all its served versions are in discovery. */
async function isDiscovered(client: Client, definition: unknown): Promise<boolean> {
  if (!hasMembers(definition) || !hasMembers(definition.status) || !hasMembers(definition.spec)) return false
  const { conditions } = definition.status
  const { group, names, versions } = definition.spec
  const isEstablished =
    Array.isArray(conditions) && conditions.some(one => hasMembers(one) && one.type === 'Established' && one.status === 'True')
  if (!isEstablished || !Array.isArray(versions) || !hasMembers(names)) return false
  for (const version of versions) {
    if (!hasMembers(version) || !version.served) continue
    const { body } = await client.request('GET', `/apis/${group}/${version.name}`)
    const resources = hasMembers(body) && Array.isArray(body.resources) ? body.resources : []
    if (!resources.some(one => hasMembers(one) && one.name === names.plural)) return false
  }
  return true
}

const answerMessage = ({ status, body }: ClientResponse): string =>
  hasMembers(body) && typeof body.message === 'string' ? body.message : `${status} ${body}`
