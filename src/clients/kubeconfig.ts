import { dirname, join, resolve } from 'node:path'
import { decodeBody, typeOfBody } from '../codec/body.ts'
import { parseYaml, YamlError } from '../codec/yaml.ts'
import { readConfigFile } from '../lib/bounded-input.ts'
import { errorCode } from '../lib/error-code.ts'
import { DecodeError } from '../schema/decode.ts'
import { decodeAs } from '../schema/decode-as.ts'
import { TypeRegistry } from '../schema/idl.ts'
import { fileError } from './file-error.ts'
import type { AuthInfo, Cluster, Config } from './kubeconfig.types.ts'
import { invalidConfiguration, KubeconfigError } from './kubeconfig-error.ts'
import { EMPTY_CLUSTER, validateAuthInfo, validateCluster } from './kubeconfig-validation.ts'
import { type Remote, remoteOf } from './remote.ts'

const NO_CONFIGURATION = 'no configuration has been provided, try setting KUBERNETES_MASTER environment variable'
const USER_FILES = ['client-certificate', 'client-key', 'tokenFile'] as const

/**
 * Reads server and credentials of a context of a kubeconfig. Default: the current one. Parses and validates as
 * client-go does. Relative paths are resolved against the file's folder, and the files are read. Throws
 * KubeconfigError, also for features that are not implemented: credential plugins and proxies.
 * https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
export async function readKubeconfig(path: string, contextName?: string): Promise<Remote> {
  const config = decodeKubeconfig(await readKubeconfigFile(path), path)
  const name = contextName ?? config['current-context'] ?? ''
  const contexts = indexEntries(config.contexts, ({ context }) => context)
  const context = contexts.get(name) ?? {}
  const base = dirname(resolve(path))
  const cluster = withPaths(base, indexEntries(config.clusters, one => one.cluster).get(context.cluster ?? '') ?? {}, [
    'certificate-authority',
  ])
  const user = withPaths(base, indexEntries(config.users, one => one.user).get(context.user ?? '') ?? {}, USER_FILES)
  const errors = [
    ...(name !== '' && !contexts.has(name) ? [`context was not found for specified context: ${name}`] : []),
    ...validateAuthInfo(context.user ?? '', user),
    ...validateCluster(context.cluster ?? '', cluster),
  ]
  if (errors.length === 1 && errors[0] === EMPTY_CLUSTER) throw invalidConfiguration([NO_CONFIGURATION])
  if (errors.length > 0) throw invalidConfiguration(errors)
  checkSupported(cluster, user, context)
  return await remoteOf(cluster, user)
}

/** Throws KubeconfigError for unsupported features that would change the identity or the route of requests. */
function checkSupported(cluster: Cluster, user: AuthInfo, names: { readonly cluster?: string; readonly user?: string }): void {
  if (user.exec)
    throw new KubeconfigError(
      `the user ${JSON.stringify(names.user)} has exec: credential plugins are not implemented; use a token or a client certificate`,
    )
  // kube-apiserver has no built-in auth providers either.
  if (user['auth-provider'])
    throw new KubeconfigError(`no Auth Provider found for name ${JSON.stringify(user['auth-provider'].name ?? '')}`)
  if (cluster['proxy-url'])
    throw new KubeconfigError(`the cluster ${JSON.stringify(names.cluster)} has proxy-url: proxies are not implemented`)
}

/** Users of a kubeconfig by name, with absolute paths. */
export interface KubeconfigUsers {
  readonly byName: ReadonlyMap<string, AuthInfo>
  /** User of the current context. */
  readonly current: AuthInfo | undefined
}

/** Reads the users of a kubeconfig. Its clusters are ignored. Throws KubeconfigError, also for credential plugins. */
export async function readKubeconfigUsers(path: string): Promise<KubeconfigUsers> {
  const config = decodeKubeconfig(await readKubeconfigFile(path), path)
  const base = dirname(resolve(path))
  const byItsName = new Map(
    Array.from(
      indexEntries(config.users, one => one.user),
      ([name, user]) => [name, withPaths(base, user, USER_FILES)],
    ),
  )
  for (const [name, user] of byItsName) checkSupported({}, user, { user: name })
  const context = indexEntries(config.contexts, one => one.context).get(config['current-context'] ?? '')
  return { byName: byItsName, current: context?.user ? byItsName.get(context.user) : undefined }
}

/** Reads the file. Throws KubeconfigError. */
const readKubeconfigFile = (path: string): Promise<Buffer> =>
  readConfigFile(path).catch((error: unknown) => {
    throw new KubeconfigError(errorCode(error) === 'ENOENT' ? fileError(error, path, 'stat') : loading(path, fileError(error, path)))
  })

const loading = (path: string, why: string): string => `error loading config file "${path}": ${why}`

/** Decodes leniently, as upstream's codec: unknown fields are ignored. */
function decodeKubeconfig(bytes: Buffer, path: string): Config {
  if (bytes.length === 0) return {}
  try {
    const parsed = parseYaml(bytes)
    const { apiVersion, kind } = typeOfBody(parsed.value)
    if ((apiVersion || 'v1') !== 'v1' || (kind || 'Config') !== 'Config')
      throw new DecodeError(
        `no kind ${JSON.stringify(kind || 'Config')} is registered for version ${JSON.stringify(apiVersion || 'v1')} in scheme "pkg/runtime/scheme.go:110"`,
      )
    const type = new TypeRegistry().addFile('kubeconfig', join(import.meta.dirname, 'kubeconfig.types')).type('kubeconfig.Config')
    const config = decodeAs<Config>(type, decodeBody(type, parsed).object)
    for (const [list, goType] of [
      [config.clusters, 'Cluster'],
      [config.users, 'AuthInfo'],
      [config.contexts, 'Context'],
    ] as const)
      refuseRepeated(list ?? [], goType)
    return config
  } catch (error) {
    if (error instanceof YamlError || error instanceof DecodeError) throw new KubeconfigError(loading(path, error.message))
    throw error
  }
}

/** Rejects duplicate names, which client-go cannot convert to a map. */
function refuseRepeated(list: readonly { readonly name?: string }[], goType: string): void {
  const seen = new Set<string>()
  for (const { name = '' } of list) {
    if (seen.has(name))
      throw new DecodeError(`error converting *[]Named${goType} into *map[string]*api.${goType}: duplicate name "${name}" in list`)
    seen.add(name)
  }
}

function indexEntries<E extends { readonly name?: string }, T>(
  list: readonly E[] | undefined,
  member: (entry: E) => T | undefined,
): ReadonlyMap<string, Partial<T>> {
  return new Map((list ?? []).map(entry => [entry.name ?? '', member(entry) ?? {}]))
}

/** Resolves relative paths. */
function withPaths<T extends Cluster | AuthInfo>(base: string, from: T, members: readonly (keyof T & string)[]): T {
  const out = { ...from }
  for (const member of members) {
    const path = from[member]
    if (typeof path === 'string' && path !== '') Object.assign(out, { [member]: resolve(base, path) })
  }
  return out
}
