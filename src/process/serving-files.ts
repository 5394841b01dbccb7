import { hostname, networkInterfaces } from 'node:os'
import { dirname } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Logger } from '../lib/log.ts'
import { makePrivateDirectory, writePrivate } from '../lib/private-file.ts'
import { kubeconfig } from '../server/kubeconfig.ts'
import { beginAdminKeys } from '../server/tls/client-keys.ts'
import { ADMIN_USER, type CertificateOptions, type Credentials, loadCredentials } from '../server/tls/material.ts'
import { servingNames } from '../server/tls/names.ts'

const LOOPBACK = '127.0.0.1'
const DEFAULT_SERVICE_RANGE = '10.0.0.0/24'

/** The certificates that the configuration names, made where missing. `adminKeys`: as `beginAdminKeys` has begun to make them. */
export const credentialsOf = (
  config: Config,
  { adminKeys = beginAdminKeys(config.certDir), shareCa }: Pick<CertificateOptions, 'adminKeys' | 'shareCa'>,
): Promise<Credentials> =>
  loadCredentials({
    directory: config.certDir,
    names: servingNames({
      hostname: config.externalHostname ?? hostname(),
      bindAddress: config.bindAddress,
      advertiseAddress: advertisedAddress(config),
      serviceIp: serviceIpOf(config),
    }),
    ...(adminKeys && { adminKeys }),
    ...(shareCa && { shareCa }),
    ...(config.servingFiles !== undefined && { servingFiles: config.servingFiles }),
    ...(config.clientCaFile !== undefined && { clientCaFile: config.clientCaFile }),
    ...(config.requestHeader && { frontProxyCaFile: config.requestHeader.clientCaFile }),
  })

/** How the administrator reaches a server. All but the URLs is PEM. */
export interface AdminAccess {
  readonly url: string
  /** Plain HTTP, where the server has it. */
  readonly insecureUrl: string | undefined
  /** Opens the console once, where the server has one. */
  readonly consoleUrl: string | undefined
  /** YAML. */
  readonly kubeconfig: string
  readonly certificateAuthority: string
  readonly clientCertificate: string
  readonly clientKey: string
}

/** How the administrator reaches a server on these ports. */
export async function adminAccess(config: Config, { admin, serverCa }: Credentials, { securePort, insecurePort }: ServedPorts): Promise<AdminAccess> {
  const url = `https://${urlHost(config.bindAddress)}:${securePort}`
  const insecureUrl = insecurePort === undefined ? undefined : `http://${LOOPBACK}:${insecurePort}`
  const { cert, key } = await admin
  const text = kubeconfig({ server: url, ca: serverCa, user: ADMIN_USER, cert, key })
  return { url, insecureUrl, consoleUrl: undefined, kubeconfig: text, certificateAuthority: serverCa, clientCertificate: cert, clientKey: key }
}

interface ServedPorts {
  readonly securePort: number
  readonly insecurePort: number | undefined
  readonly consolePort?: number | undefined
}

/** Writes the administrator's kubeconfig, where it is to be in a file, and logs where the server is reached. `fields`: more to log. `consoleLink`: path and fragment. */
export async function announce(
  config: Config,
  credentials: Credentials,
  ports: ServedPorts,
  log: Logger,
  { consoleLink, ...fields }: Readonly<Record<string, unknown>> & { readonly consoleLink?: string | undefined } = {},
): Promise<AdminAccess> {
  const access = await adminAccess(config, credentials, ports)
  const { url, insecureUrl, kubeconfig: text } = access
  const { kubeconfigOut } = config
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
  const consoleUrl = consoleLink && `https://${urlHost(config.bindAddress)}:${ports.consolePort}${consoleLink}`
  if (consoleUrl) log.info(`to open the console, once, within 15 minutes: ${consoleUrl}`)
  return { ...access, consoleUrl }
}

/** The address of the Service `kubernetes`. */
export const serviceIpOf = (config: Config): string => firstAddress(config.serviceClusterIpRanges[0] ?? DEFAULT_SERVICE_RANGE)

const isUnspecified = (address: string): boolean => address === '0.0.0.0' || address === '::'

/** An address as the host of a URL that this machine can reach. */
export const urlHost = (address: string): string => (isUnspecified(address) ? LOOPBACK : address.includes(':') ? `[${address}]` : address)

/** Where others reach this server: as configured, or where it listens. Of all addresses of this machine, which it may listen on, the first that is no loopback, if there is one. */
export function advertisedAddress({ advertiseAddress, bindAddress }: Pick<Config, 'advertiseAddress' | 'bindAddress'>, interfaces = networkInterfaces): string {
  if (advertiseAddress !== undefined && !isUnspecified(advertiseAddress)) return advertiseAddress
  if (!isUnspecified(bindAddress)) return bindAddress
  for (const addresses of Object.values(interfaces()))
    for (const { address, family, internal } of addresses ?? []) if (family === 'IPv4' && !internal) return address
  return LOOPBACK
}

/** The first usable address of a range: `10.0.0.1` of 10.0.0.0/24, `fd00::1` of fd00::/112. */
const firstAddress = (range: string): string => {
  const network = range.split('/')[0] ?? ''
  return network.includes(':') ? network.replace(/::$/, '::1') : network.replace(/(?<!\d)\d+$/, last => String(Number(last) + 1))
}
