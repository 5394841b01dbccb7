import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { decodeConfigFile } from '../../codec/config-file.ts'
import { fieldErrorText } from '../../meta/field-error.ts'
import { DecodeError } from '../../schema/decode.ts'
import { TypeRegistry } from '../../schema/idl.ts'
import type { StructSchema } from '../../schema/schema.ts'
import type { EncryptionConfig, EncryptionRule } from './encryption-config.ts'
import { validateEncryption } from './encryption-validation.ts'

/** Error of a file that cannot be used. The message is for the user and never contains a secret. */
export class EncryptionConfigError extends Error {
  override readonly name = 'EncryptionConfigError'
  /** Marks the error as a fault of configuration, like the codes of system errors, and not as a bug. */
  readonly code = 'ERR_ENCRYPTION_CONFIG'
}

const types = new TypeRegistry().addFile('encryption', join(import.meta.dirname, 'encryption-configuration.types'))

/** Accepted kinds by version, as in kube-apiserver. */
const ACCEPTED: Readonly<Record<string, string>> = { 'apiserver.config.k8s.io/v1': 'EncryptionConfiguration', v1: 'EncryptionConfig' }

/** Parses and validates a file. Errors mention the path `file`. Throws EncryptionConfigError. */
export function parseEncryptionFile(bytes: Buffer, file: string): EncryptionConfig {
  const named = JSON.stringify(file)
  if (bytes.length === 0)
    throw new EncryptionConfigError(
      `error while parsing file: error while loading file: encryption provider configuration file ${named} is empty`,
    )
  const decoded = decodeFile(
    bytes,
    why => new EncryptionConfigError(`error while parsing file: error decoding encryption provider configuration file ${named}: ${why}`),
  )
  const rules = decoded.resources ?? []
  const errors = validateEncryption(rules).map(fieldErrorText)
  if (errors.length > 0) {
    const each = [...new Set(errors)]
    throw new EncryptionConfigError(`error while parsing file: ${each.length === 1 ? each[0] : `[${each.join(', ')}]`}`)
  }
  return { resources: rules, hash: createHash('sha256').update(bytes).digest('hex') }
}

const encryptionType = (apiVersion: string, kind: string): StructSchema | undefined =>
  Object.hasOwn(ACCEPTED, apiVersion) && ACCEPTED[apiVersion] === kind ? types.type('encryption.EncryptionConfiguration') : undefined

function decodeFile(bytes: Buffer, refuse: (why: string) => EncryptionConfigError): { resources?: EncryptionRule[] } {
  try {
    return decodeConfigFile(bytes, encryptionType, { isSecret: true })
  } catch (error) {
    throw error instanceof DecodeError ? refuse(error.message) : error
  }
}
