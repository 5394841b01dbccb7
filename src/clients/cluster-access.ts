import { readFileSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import { dirname, isAbsolute, join } from 'node:path'
import { parseYaml, YamlError } from '../codec/yaml.ts'
import { ArgumentError } from '../lib/arguments.ts'
import { errorMessage } from '../lib/error-message.ts'
import { objectsIn } from '../meta/json-members.ts'
import { isJsonObject, type Json, type JsonObject } from '../meta/object.ts'

/** How to reach a server, and as whom. */
export interface ClusterAccess {
  readonly server: URL
  /** Of the context; absent: `default`. */
  readonly namespace?: string
  readonly headers: Readonly<Record<string, string>>
  readonly tls: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>
}

/** What a kubeconfig says of a context, the current one unless another is named. Throws ArgumentError. */
export function readKubeconfig(path: string, contextName?: string): ClusterAccess {
  const config = readConfig(path)
  const name = contextName ?? config['current-context']
  const context = named(config.contexts, name, 'context')
  if (context === undefined) throw new ArgumentError(`${path}: there is no context ${JSON.stringify(name ?? '')}`)
  const cluster = named(config.clusters, context.cluster, 'cluster') ?? {}
  const user = named(config.users, context.user, 'user') ?? {}
  if (typeof cluster.server !== 'string') throw new ArgumentError(`${path}: the cluster of context ${JSON.stringify(name)} has no server`)
  if (user.exec !== undefined || user['auth-provider'] !== undefined)
    throw new ArgumentError(`${path}: users of credential plugins are not supported: use a kubeconfig with a token or a certificate`)
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

function readConfig(path: string): JsonObject {
  try {
    const { value } = parseYaml(readFileSync(path))
    if (isJsonObject(value)) return value
  } catch (error) {
    if (!(error instanceof YamlError) && !(error instanceof Error && 'code' in error)) throw error
    throw new ArgumentError(`--kubeconfig ${path}: ${error.message}`)
  }
  throw new ArgumentError(`--kubeconfig ${path}: this is no kubeconfig`)
}

/** The entry of a list of names. */
function named(list: Json | undefined, name: Json | undefined, member: string): JsonObject | undefined {
  const found = objectsIn(list).find(each => each.name === name)?.[member]
  return isJsonObject(found) ? found : undefined
}

function urlOf(path: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new ArgumentError(`${path}: ${text} is no address of a server`)
  return url
}

/** Data in place counts before a file, whose name is relative to the kubeconfig. */
function fileOf(path: string, from: JsonObject, key: string): Buffer | undefined {
  const data = from[`${key}-data`]
  if (typeof data === 'string') return Buffer.from(data, 'base64')
  const file = from[key]
  return typeof file === 'string' && file !== '' ? readBeside(path, file) : undefined
}

function readBeside(path: string, file: string): Buffer {
  try {
    return readFileSync(isAbsolute(file) ? file : join(dirname(path), file))
  } catch (error) {
    throw new ArgumentError(`${path}: ${errorMessage(error)}`)
  }
}

function authorization(path: string, user: JsonObject): Record<string, string> {
  const token =
    typeof user.token === 'string' ? user.token : typeof user.tokenFile === 'string' ? readBeside(path, user.tokenFile).toString().trim() : undefined
  if (token !== undefined) return { authorization: `Bearer ${token}` }
  if (typeof user.username !== 'string') return {}
  return { authorization: `Basic ${Buffer.from(`${user.username}:${String(user.password ?? '')}`).toString('base64')}` }
}
