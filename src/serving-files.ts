import { hostname, networkInterfaces } from 'node:os'
import { dirname } from 'node:path'
import type { Config } from './config/config.ts'
import type { Logger } from './lib/log.ts'
import { makePrivateDirectory, writePrivate } from './lib/private-file.ts'
import { kubeconfig } from './server/kubeconfig.ts'
import { ADMIN_USER, type Credentials, loadCredentials } from './server/tls/material.ts'
import { servingNames } from './server/tls/names.ts'

const DEFAULT_SERVICE_RANGE = '10.0.0.0/24'

/** The certificates that the configuration names, made where missing. */
export const credentialsOf = (config: Config): Promise<Credentials> =>
  loadCredentials({
    directory: config.certDir,
    names: servingNames({
      hostname: config.externalHostname ?? hostname(),
      bindAddress: config.bindAddress,
      advertiseAddress: config.advertiseAddress,
      serviceIp: serviceIpOf(config),
    }),
    ...(config.servingFiles !== undefined && { servingFiles: config.servingFiles }),
    ...(config.clientCaFile !== undefined && { clientCaFile: config.clientCaFile }),
  })

/** Writes the administrator's kubeconfig, and tells where the server is reached. `fields`: more to tell. */
export async function announce(
  config: Config,
  credentials: Credentials,
  ports: { readonly securePort: number; readonly insecurePort: number | undefined },
  log: Logger,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const url = `https://${urlHost(config.bindAddress)}:${ports.securePort}`
  await makePrivateDirectory(dirname(config.kubeconfigOut))
  await writePrivate(config.kubeconfigOut, kubeconfig({ server: url, ca: credentials.serverCa, user: ADMIN_USER, ...credentials.admin }))
  log.info('serving', {
    url,
    kubeconfig: config.kubeconfigOut,
    ...(ports.insecurePort !== undefined && { insecure: `http://127.0.0.1:${ports.insecurePort}` }),
    ...fields,
  })
  log.info(`to use it: export KUBECONFIG=${config.kubeconfigOut}; kubectl get namespaces`)
}

/** The address of the Service `kubernetes`. */
export const serviceIpOf = (config: Config): string => firstAddress(config.serviceClusterIpRanges[0] ?? DEFAULT_SERVICE_RANGE)

export const urlHost = (address: string): string => (address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address)

/** Where other machines reach this one: as configured, or its first address that is no loopback. */
export function advertisedAddress(config: Config): string {
  if (config.advertiseAddress !== undefined) return config.advertiseAddress
  for (const addresses of Object.values(networkInterfaces()))
    for (const { address, family, internal } of addresses ?? []) if (family === 'IPv4' && !internal) return address
  return config.bindAddress
}

/** The first usable address of a range: `10.0.0.1` of 10.0.0.0/24, `fd00::1` of fd00::/112. */
const firstAddress = (range: string): string => {
  const network = range.split('/')[0] ?? ''
  return network.includes(':') ? network.replace(/::$/, '::1') : network.replace(/\d+$/, last => String(Number(last) + 1))
}
