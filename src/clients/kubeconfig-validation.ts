import { accessSync, constants } from 'node:fs'
import { errorMessage } from '../lib/error-message.ts'
import { quote } from '../lib/go-quote.ts'
import { GoUrlError, parseGoUrl } from '../meta/go-url.ts'
import { fileError } from './file-error.ts'
import type { AuthInfo, Cluster, ExecConfig } from './kubeconfig.types.ts'

/** Upstream's error for a context with an empty cluster. */
export const EMPTY_CLUSTER = 'cluster has no server defined'

/** Returns why a file cannot be opened, or undefined. */
function openFault(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK)
    return undefined
  } catch (error) {
    return fileError(error, path)
  }
}

const unreadableFile = (path: string | undefined, what: string, name: string): string[] => {
  const fault = path ? openFault(path) : undefined
  return fault === undefined ? [] : [`unable to read ${what} ${path} for ${name} due to ${fault}`]
}

/** Validates a cluster. Errors are in upstream's order. Paths are absolute. */
export function validateCluster(name: string, cluster: Cluster): string[] {
  if (Object.keys(cluster).length === 0) return [EMPTY_CLUSTER]
  const errors: string[] = []
  if (!cluster.server) errors.push(name === '' ? 'default cluster has no server defined' : `no server found for cluster ${quote(name)}`)
  const proxy = cluster['proxy-url']
  const proxyFault = proxy ? proxyUrlFault(proxy) : undefined
  if (proxyFault !== undefined) errors.push(`invalid 'proxy-url' ${quote(proxy ?? '')} for cluster ${quote(name)}: ${proxyFault}`)
  if (cluster['certificate-authority'] && cluster['certificate-authority-data'])
    errors.push(
      `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`,
    )
  return [...errors, ...unreadableFile(cluster['certificate-authority'], 'certificate-authority', name)]
}

/** Error of a proxy URL, in upstream's words. */
function proxyUrlFault(text: string): string | undefined {
  try {
    const { scheme } = parseGoUrl(text)
    return ['http', 'https', 'socks5'].includes(scheme) ? undefined : `unsupported scheme ${quote(scheme)}, must be http, https, or socks5`
  } catch (error) {
    if (error instanceof GoUrlError) return `could not parse: ${text}`
    return errorMessage(error)
  }
}

/** Validates a user. Errors are in upstream's order. Paths are absolute. */
export function validateAuthInfo(name: string, user: AuthInfo): string[] {
  const methods = [...(user.token ? ['token'] : []), ...(user.username || user.password ? ['basicAuth'] : [])]
  const impersonated = user['as-uid'] || (user['as-groups'] ?? []).length > 0 || Object.keys(user['as-user-extra'] ?? {}).length > 0
  return [
    ...validateCertificate(name, user),
    ...(user.exec ? validateExec(name, user.exec, user['auth-provider'] !== undefined) : []),
    ...(methods.length > 1
      ? [`more than one authentication method found for ${name}; found [${methods.join(' ')}], only one is allowed`]
      : []),
    ...(impersonated && !user.as ? [`requesting uid, groups or user-extra for ${name} without impersonating a user`] : []),
  ]
}

/** Errors of a client certificate, in upstream's words. */
function validateCertificate(name: string, user: AuthInfo): string[] {
  const { 'client-certificate': certFile, 'client-certificate-data': certData, 'client-key': keyFile, 'client-key-data': keyData } = user
  if (!certFile && !certData) return []
  return [
    ...(certFile && certData ? [`client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`] : []),
    ...(keyFile && keyData ? [`client-key-data and client-key are both specified for ${name}; client-key-data will override`] : []),
    ...(!keyFile && !keyData
      ? [`client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`]
      : []),
    ...unreadableFile(certFile, 'client-cert', name),
    ...unreadableFile(keyFile, 'client-key', name),
  ]
}

const MODES = ['Never', 'IfAvailable', 'Always']

/** Errors of a credential plugin, in upstream's words. */
function validateExec(name: string, { command, apiVersion, env, interactiveMode }: ExecConfig, hasProvider: boolean): string[] {
  const lacking = (what: string): string => `${what} must be specified for ${name} to use exec authentication plugin`
  return [
    ...(hasProvider ? [`authProvider cannot be provided in combination with an exec plugin for ${name}`] : []),
    ...(command ? [] : [lacking('command')]),
    ...(apiVersion ? [] : [lacking('apiVersion')]),
    ...(env ?? []).flatMap(variable => (variable.name ? [] : [lacking('env variable name')])),
    ...(interactiveMode ? [] : [lacking('interactiveMode')]),
    ...(!interactiveMode || MODES.includes(interactiveMode) ? [] : [`invalid interactiveMode for ${name}: ${quote(interactiveMode)}`]),
  ]
}
