import type { Config } from '../config/config.ts'
import { gitVersion } from '../server/version.ts'
import type { AdminAccess } from './serving-files.ts'

/** Returns the line that `--ephemeral` prints on standard output: one JSON object with all that the parent needs to connect. Certificates and keys are PEM, `kubeconfig` is YAML. */
export function ephemeralLine(access: AdminAccess, { files: { kubeconfigOut }, release: { emulatedVersion } }: Pick<Config, 'files' | 'release'>): string {
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
