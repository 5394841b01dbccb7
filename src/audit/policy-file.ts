import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeBody, typeOfBody } from '../codec/body.ts'
import { parseYaml, YamlError } from '../codec/yaml.ts'
import { aggregate } from '../lib/aggregate.ts'
import { errorMessage } from '../lib/error-message.ts'
import { fieldErrorText } from '../meta/field-error.ts'
import { DecodeError } from '../schema/decode.ts'
import { TypeRegistry } from '../schema/idl.ts'
import { META_V1 } from '../schema/meta-types.ts'
import type { AuditPolicy } from './policy.ts'
import { type GivenPolicy, validatePolicy } from './policy-validation.ts'

/** A file of the audit that can't be used; the message is for the user. */
export class AuditConfigError extends Error {
  override readonly name = 'AuditConfigError'
  /** As errors of the system have one: the user's to mend. */
  readonly code = 'ERR_AUDIT_CONFIG'
}

const API_VERSION = 'audit.k8s.io/v1'

/** Reads and checks a policy. Faults of strict decoding go to `warn` and are passed over, as in kube-apiserver. Throws AuditConfigError in kube-apiserver's words. */
export async function readPolicyFile(file: string, warn: (message: string) => void): Promise<AuditPolicy> {
  const failed = (why: string): AuditConfigError => new AuditConfigError(`loading audit policy file: ${why}`)
  const bytes = await readFile(file).catch((error: unknown) => {
    throw failed(`failed to read file path ${JSON.stringify(file)}: ${errorMessage(error)}`)
  })
  const refuse = (why: string): AuditConfigError => failed(`${why}: from file ${file}`)
  const given = decodePolicy(bytes, refuse, warn)
  const errors = validatePolicy(given).map(fieldErrorText)
  if (errors.length > 0) throw refuse(aggregate(errors))
  if ((given.rules ?? []).length === 0) throw refuse('loaded illegal policy with 0 rules')
  // Levels and stages have been looked at.
  return given as AuditPolicy
}

/** Upstream takes a policy without a kind for one, and one without a version for one of no version that it reads. */
function decodePolicy(bytes: Buffer, refuse: (why: string) => AuditConfigError, warn: (message: string) => void): GivenPolicy {
  try {
    const parsed = parseYaml(bytes)
    const { apiVersion, kind } = typeOfBody(parsed.value)
    if (apiVersion === '') throw refuse('unknown group version field audit.k8s.io/__internal, Kind=Policy in policy')
    if (apiVersion === API_VERSION && KINDS.includes(kind)) throw refuse(`failed decoding: converting (v1.${kind}) to (audit.Policy): unknown conversion`)
    if (apiVersion !== API_VERSION || (kind !== '' && kind !== 'Policy'))
      throw refuse(
        `failed decoding: no kind ${JSON.stringify(kind || 'Policy')} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`,
      )
    const { object, strict, strictText } = decodeBody(policyTypes().type('audit.Policy'), parsed)
    if (strict.length > 0) warn(`Audit policy contains errors, falling back to lenient decoding: strict decoding error: ${strictText}`)
    return object as GivenPolicy
  } catch (error) {
    if (error instanceof YamlError || error instanceof DecodeError) throw refuse(`failed decoding: ${error.message}`)
    throw error
  }
}

/** The other kinds of the version. */
const KINDS: readonly string[] = ['Event', 'EventList', 'PolicyList']

/** Read when a policy is: a server without audit does not need them. */
const policyTypes = (): TypeRegistry => new TypeRegistry().addFile('meta', META_V1).addFile('audit', join(import.meta.dirname, 'audit-policy.types'))
