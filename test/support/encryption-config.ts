import { Encryption } from '../../src/storage/value/encryption.ts'
import type { EncryptionConfig, EncryptionProvider } from '../../src/storage/value/encryption-config.ts'

/** Secrets of 32 bytes by their names, the same in every test. */
const secretOf = (name: string): string => Buffer.alloc(32, name).toString('base64')

export const identityProvider: EncryptionProvider = { identity: {} }

/** A provider with keys of these names: the first writes. */
export const providerOf = (kind: 'aesgcm' | 'aescbc' | 'secretbox', ...names: string[]): EncryptionProvider => ({
  [kind]: { keys: names.map(name => ({ name, secret: secretOf(name) })) },
})

/** A configuration of everything there is. */
export const encryptionConfig = (...providers: EncryptionProvider[]): EncryptionConfig => ({
  resources: [{ resources: ['*.*'], providers }],
  hash: JSON.stringify(providers),
})

export function encryptionOf(...providers: EncryptionProvider[]): Encryption {
  const encryption = new Encryption()
  encryption.configure(encryptionConfig(...providers))
  return encryption
}

/** Text of a file for `--encryption-provider-config`. */
export const encryptionFile = (resources: readonly string[], ...providers: EncryptionProvider[]): string =>
  JSON.stringify({ kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources: [{ resources, providers }] })
