import type { RequestOptions } from 'node:https'
import { dirname, isAbsolute, join } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import { parseYaml, YamlError } from '../codec/yaml.ts'
import { ArgumentError } from '../lib/arguments.ts'
import { readConfigFileSync } from '../lib/bounded-input.ts'
import { errorMessage } from '../lib/error-message.ts'
import { objectsIn } from '../meta/json-members.ts'

/** Address and credentials of a server. */
export interface ClusterAccess {
  readonly server: URL
  /** Namespace of the context. Default: `default`. */
  readonly namespace?: string
  readonly headers: Readonly<Record<string, string>>
  readonly tls: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>
}

/** Reads a context of a kubeconfig. Default: the current one. Throws ArgumentError. */
export function readKubeconfig(path: string, contextName?: string): ClusterAccess {
  const config = readConfig(path)
  const name = contextName ?? config['current-context']
  const context = findNamed(config.contexts, name, 'context')
  if (context === undefined) throw new ArgumentError(`${path}: context ${JSON.stringify(name ?? '')} does not exist`)
  const cluster = findNamed(config.clusters, context.cluster, 'cluster') ?? {}
  const user = findNamed(config.users, context.user, 'user') ?? {}
  if (typeof cluster.server !== 'string') throw new ArgumentError(`${path}: the cluster of context ${JSON.stringify(name)} has no server`)
  if (user.exec !== undefined || user['auth-provider'] !== undefined)
    throw new ArgumentError(`${path}: credential plugins are not supported: use a kubeconfig with a token or a client certificate`)
  const read = (from: JsonObject, key: string): Buffer | undefined => fileOf(path, from, key)
  const [ca, cert, key] = [read(cluster, 'certificate-authority'), read(user, 'client-certificate'), read(user, 'client-key')]
  return {
    server: urlOf(path, cluster.server),
    ...(typeof context?.namespace === 'string' && { namespace: context.namespace }),
    headers: authorization(path, user),
    tls: {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...(cluster['insecure-skip-tls-verify'] === true && { rejectUnauthorized: false }),
      ...(typeof cluster['tls-server-name'] === 'string' && { servername: cluster['tls-server-name'] }),
    },
  }
}

/** Path suffix of a moment or a branch. */
const MOUNT = /\/binnacle\/(?:at|branches)\/[^/]+\/?$/

/** URL of the server itself, without the path of a moment or branch. */
export const serverOf = (url: URL): URL => new URL(url.href.replace(/\/$/, '').replace(MOUNT, ''))

/**
 * Returns a kubeconfig with a single context for a path of the server, which replaces that of a moment or branch.
 * Contents of referenced files are embedded. Throws ArgumentError.
 */
export function kubeconfigAt(file: string, contextName: string | undefined, path: string): JsonObject {
  const config = readConfig(file)
  const name = contextName ?? config['current-context'] ?? ''
  const context = findNamed(config.contexts, name, 'context') ?? {}
  const server = serverOf(readKubeconfig(file, contextName).server).href.replace(/\/$/, '') + path
  const cluster = { ...inPlace(file, findNamed(config.clusters, context.cluster, 'cluster') ?? {}, ['certificate-authority']), server }
  const user = inPlace(file, findNamed(config.users, context.user, 'user') ?? {}, ['client-certificate', 'client-key'])
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name: context.cluster ?? '', cluster }],
    contexts: [{ name, context }],
    users: [{ name: context.user ?? '', user }],
  }
}

/** Embeds the contents of the files that an entry refers to. */
function inPlace(file: string, entry: JsonObject, names: readonly string[]): JsonObject {
  const own = { ...entry }
  for (const name of names) {
    const bytes = fileOf(file, entry, name)
    delete own[name]
    if (bytes) own[`${name}-data`] = bytes.toString('base64')
  }
  if (typeof own.tokenFile === 'string' && own.token === undefined) {
    own.token = readBeside(file, own.tokenFile).toString().trim()
    delete own.tokenFile
  }
  return own
}

/** Reads and parses a kubeconfig. Throws ArgumentError. */
function readConfig(path: string): JsonObject {
  try {
    const { value } = parseYaml(readConfigFileSync(path))
    if (isJsonObject(value)) return value
  } catch (error) {
    if (!(error instanceof YamlError) && !(error instanceof Error && 'code' in error)) throw error
    throw new ArgumentError(`--kubeconfig ${path}: ${error.message}`)
  }
  throw new ArgumentError(`--kubeconfig ${path}: not a kubeconfig`)
}

/** Finds an entry by name. */
function findNamed(list: Json | undefined, name: Json | undefined, member: string): JsonObject | undefined {
  const found = objectsIn(list).find(each => each.name === name)?.[member]
  return isJsonObject(found) ? found : undefined
}

function urlOf(path: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new ArgumentError(`${path}: ${text} is not the URL of a server`)
  return url
}

/** Reads embedded data, or else a file. Its path is relative to the kubeconfig. */
function fileOf(path: string, from: JsonObject, key: string): Buffer | undefined {
  const data = from[`${key}-data`]
  if (typeof data === 'string') return Buffer.from(data, 'base64')
  const file = from[key]
  return typeof file === 'string' && file !== '' ? readBeside(path, file) : undefined
}

/** Reads a file relative to the kubeconfig. Throws ArgumentError. */
function readBeside(path: string, file: string): Buffer {
  try {
    return readConfigFileSync(isAbsolute(file) ? file : join(dirname(path), file))
  } catch (error) {
    throw new ArgumentError(`${path}: ${errorMessage(error)}`)
  }
}

/** Authorization header of a user. A token takes precedence over a password. */
function authorization(path: string, user: JsonObject): Record<string, string> {
  const token =
    typeof user.token === 'string'
      ? user.token
      : typeof user.tokenFile === 'string'
        ? readBeside(path, user.tokenFile).toString().trim()
        : undefined
  if (token !== undefined) return { authorization: `Bearer ${token}` }
  if (typeof user.username !== 'string') return {}
  return { authorization: `Basic ${Buffer.from(`${user.username}:${String(user.password ?? '')}`).toString('base64')}` }
}
