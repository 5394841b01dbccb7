import type { Config } from '../config/config.ts'
import { gitVersion } from '../server/version.ts'
import type { AdminAccess } from './serving-files.ts'

/** The line of `--ephemeral` on standard output: what the program that has started this one needs to use it, as one object of JSON. */
export function ephemeralLine(access: AdminAccess, { kubeconfigOut, emulatedVersion }: Pick<Config, 'kubeconfigOut' | 'emulatedVersion'>): string {
  const { url, insecureUrl, consoleUrl, kubeconfig, certificateAuthority, clientCertificate, clientKey } = access
  const line = {
    url,
    ...(insecureUrl !== undefined && { insecureUrl }),
    ...(consoleUrl !== undefined && { consoleUrl }),
    version: gitVersion(emulatedVersion),
    kubeconfig,
    ...(kubeconfigOut !== undefined && { kubeconfigFile: kubeconfigOut }),
    certificateAuthority,
    clientCertificate,
    clientKey,
  }
  return `${JSON.stringify(line)}\n`
}
