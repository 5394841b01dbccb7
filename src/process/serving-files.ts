import { hostname, networkInterfaces } from 'node:os'
import { dirname } from 'node:path'
import { FRONT_PROXY, isOwnFrontProxy } from '../config/auth-config.ts'
import type { Config } from '../config/config.ts'
import type { ListeningConfig } from '../config/listening-config.ts'
import type { NetworkConfig } from '../config/network-config.ts'
import type { Logger } from '../lib/log.ts'
import { makePrivateDirectory, writePrivate } from '../lib/private-file.ts'
import { beginAdminKeys } from '../server/tls/client-keys.ts'
import { ADMIN_USER, type CertificateOptions, loadCredentials, type ServerCredentials } from '../server/tls/material.ts'
import { servingNames } from '../server/tls/names.ts'
import { kubeconfig } from './kubeconfig.ts'

/** Address of the plain HTTP port. */
const LOOPBACK = '127.0.0.1'
/** Used if the configuration has no range. Same as in kube-apiserver. */
const DEFAULT_SERVICE_RANGE = '10.0.0.0/24'

/**
 * Loads the certificates of the configuration, and issues missing ones. `adminKeys`: result of `beginAdminKeys`, if it
 * was called before.
 */
export const credentialsOf = (
  config: Config,
  { adminKeys = beginAdminKeys(config.files.certDir), shareCa }: Pick<CertificateOptions, 'adminKeys' | 'shareCa'>,
): Promise<ServerCredentials> => {
  const frontProxyCaFile = config.access.requestHeader?.clientCaFile
  return loadCredentials({
    directory: config.files.certDir,
    names: servingNames({
      hostname: config.listening.externalHostname ?? hostname(),
      bindAddress: config.listening.bindAddress,
      advertiseAddress: advertisedAddress(config.listening),
      serviceIp: serviceIpOf(config.network),
    }),
    ...(adminKeys && { adminKeys }),
    ...(shareCa && { shareCa }),
    ...(config.listening.servingFiles !== undefined && { servingFiles: config.listening.servingFiles }),
    ...(config.access.clientCaFile !== undefined && { clientCaFile: config.access.clientCaFile }),
    ...(frontProxyCaFile !== undefined && { frontProxyCaFile }),
    ...(isOwnFrontProxy(config.access) && { frontProxy: FRONT_PROXY }),
  })
}

/** Access of the administrator to a server. Certificates and the key are PEM. */
export interface AdminAccess {
  /** URL of the HTTPS port. */
  readonly url: string
  /** URL of the plain HTTP port. Undefined if the server has none. */
  readonly insecureUrl: string | undefined
  /** Single-use link that opens the console. Undefined if the server has none. */
  readonly consoleUrl: string | undefined
  /** Kubeconfig of the administrator, as YAML. */
  readonly kubeconfig: string
  /** CA of the server's certificate. */
  readonly certificateAuthority: string
  /** Certificate in the group system:masters. */
  readonly clientCertificate: string
  /** Private key of the certificate. */
  readonly clientKey: string
}

/** Returns the administrator's access to a server on these ports. */
export async function adminAccess(
  config: Config,
  { admin, serverCa }: ServerCredentials,
  { securePort, insecurePort }: ServedPorts,
): Promise<AdminAccess> {
  const url = `https://${urlHost(config.listening.bindAddress)}:${securePort}`
  const insecureUrl = insecurePort === undefined ? undefined : `http://${LOOPBACK}:${insecurePort}`
  const { cert, key } = await admin
  const text = kubeconfig({ server: url, ca: serverCa, user: ADMIN_USER, cert, key })
  return {
    url,
    insecureUrl,
    consoleUrl: undefined,
    kubeconfig: text,
    certificateAuthority: serverCa,
    clientCertificate: cert,
    clientKey: key,
  }
}

/** Ports that were opened, with the numbers that the system chose. */
interface ServedPorts {
  readonly securePort: number
  readonly insecurePort: number | undefined
  readonly consolePort?: number | undefined
}

/**
 * Writes the administrator's kubeconfig if the configuration has a file for it, and logs the URLs of the server.
 * `fields` are logged too. `consoleLink`: path and fragment of a link to the console.
 */
export async function announce(
  config: Config,
  credentials: ServerCredentials,
  ports: ServedPorts,
  log: Logger,
  { consoleLink, ...fields }: Readonly<Record<string, unknown>> & { readonly consoleLink?: string | undefined } = {},
): Promise<AdminAccess> {
  const access = await adminAccess(config, credentials, ports)
  const { url, insecureUrl, kubeconfig: text } = access
  const { kubeconfigOut } = config.files
  if (kubeconfigOut !== undefined) {
    makePrivateDirectory(dirname(kubeconfigOut))
    await writePrivate(kubeconfigOut, text)
  }
  log.info('serving', {
    url,
    ...(kubeconfigOut !== undefined && { kubeconfig: kubeconfigOut }),
    ...(insecureUrl !== undefined && { insecure: insecureUrl }),
    ...fields,
  })
  if (kubeconfigOut !== undefined) log.info(`to use it: export KUBECONFIG=${kubeconfigOut}; kubectl get namespaces`)
  const consoleUrl = consoleLink && `https://${urlHost(config.listening.bindAddress)}:${ports.consolePort}${consoleLink}`
  if (consoleUrl) log.info(`to open the console, once, within 15 minutes: ${consoleUrl}`)
  return { ...access, consoleUrl }
}

/** The cluster IP of the Service `kubernetes`. */
export const serviceIpOf = ({ serviceClusterIpRanges }: NetworkConfig): string =>
  firstAddress(serviceClusterIpRanges[0] ?? DEFAULT_SERVICE_RANGE)

const isUnspecified = (address: string): boolean => address === '0.0.0.0' || address === '::'

/** The host of a URL by which this machine reaches a server on a bind address. */
export const urlHost = (address: string): string => (isUnspecified(address) ? LOOPBACK : address.includes(':') ? `[${address}]` : address)

/**
 * The address by which other machines reach the server: the advertised one, otherwise the bind address. If that is
 * unspecified, the first IPv4 address that is not a loopback, or the loopback if there is none.
 */
export function advertisedAddress(
  { advertiseAddress, bindAddress }: Pick<ListeningConfig, 'advertiseAddress' | 'bindAddress'>,
  interfaces = networkInterfaces,
): string {
  if (advertiseAddress !== undefined && !isUnspecified(advertiseAddress)) return advertiseAddress
  if (!isUnspecified(bindAddress)) return bindAddress
  for (const addresses of Object.values(interfaces()))
    for (const { address, family, internal } of addresses ?? []) if (family === 'IPv4' && !internal) return address
  return LOOPBACK
}

/** The first usable address of a range: `10.0.0.1` in 10.0.0.0/24, `fd00::1` in fd00::/112. */
const firstAddress = (range: string): string => {
  const network = range.split('/')[0] ?? ''
  return network.includes(':') ? network.replace(/::$/, '::1') : network.replace(/(?<!\d)\d+$/, last => String(Number(last) + 1))
}
