import { statSync } from 'node:fs'
import { readConfigFileSync } from '../lib/bounded-input.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { FlagName } from './flag-table.ts'
import { FlagError, type GivenFlags } from './parse-flags.ts'

/**
 * Flags whose files must exist. --encryption-provider-config is checked when it is read, with kube-apiserver's message.
 */
const FLAGS_OF_FILES: readonly FlagName[] = [
  'authentication-config',
  'authentication-token-webhook-config-file',
  'authorization-config',
  'authorization-policy-file',
  'authorization-rules-file',
  'authorization-webhook-config-file',
  'client-ca-file',
  'egress-selector-config-file',
  'etcd-cafile',
  'etcd-certfile',
  'etcd-keyfile',
  'kubelet-certificate-authority',
  'kubelet-client-certificate',
  'kubelet-client-key',
  'oidc-ca-file',
  'requestheader-client-ca-file',
  'scheduler-config',
  'service-account-key-file',
  'service-account-signing-key-file',
  'tls-cert-file',
  'tls-private-key-file',
  'token-auth-file',
  'tracing-config-file',
]

/** Flags whose files must contain a PEM certificate. */
const FLAGS_OF_CAS: readonly FlagName[] = ['client-ca-file', 'etcd-cafile', 'kubelet-certificate-authority', 'requestheader-client-ca-file']

/**
 * Checks that the named files are readable and that bundles contain certificates, before anything is started. Throws
 * FlagError that names flag and file.
 */
export function checkNamedFiles({ values }: GivenFlags): void {
  for (const flag of FLAGS_OF_FILES)
    for (const file of values.get(flag) ?? []) {
      if (file === '') continue
      const text = fileText(flag, file)
      if (FLAGS_OF_CAS.includes(flag) && text?.includes('-----BEGIN CERTIFICATE-----') === false)
        throw new FlagError(`--${flag}: ${file} contains no PEM certificate`)
    }
}

/** Returns the content of a file. Undefined for pipes, which can only be read once. */
function fileText(flag: FlagName, file: string): string | undefined {
  try {
    const stat = statSync(file)
    return stat.isFile() || stat.isDirectory() ? readConfigFileSync(file).toString('utf8') : undefined
  } catch (error) {
    const message = errorMessage(error)
    throw new FlagError(`--${flag}: ${message.includes(file) ? message : `${message} ${file}`}`)
  }
}
