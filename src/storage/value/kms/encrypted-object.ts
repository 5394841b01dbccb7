import { createHash } from 'node:crypto'
import { isDns1123Label, isDns1123Subdomain } from '../../../meta/names.ts'
import { type Annotations, type EncryptedObject, SourceType } from './messages.ts'

/** Limits of kube-apiserver, in bytes. */
const MOST_ANNOTATIONS = 32 * 1024
const LONGEST_KEY_ID = 1024
const LONGEST_SOURCE = 1024

/** Fault of a key id, in kube-apiserver's words, with its label in metrics. */
export interface KeyIdFault {
  readonly label: 'empty' | 'too_long'
  readonly text: string
}

/** Returns the fault of a key id; undefined if it is valid. */
export function keyIdFault(keyId: string): KeyIdFault | undefined {
  const bytes = Buffer.byteLength(keyId)
  if (bytes === 0) return { label: 'empty', text: 'keyID is empty' }
  return bytes > LONGEST_KEY_ID
    ? { label: 'too_long', text: `keyID is ${bytes} bytes, which exceeds the max size of ${LONGEST_KEY_ID}` }
    : undefined
}

/** Returns the fault of a stored object, in kube-apiserver's order and words; undefined if it is valid. */
export function encryptedObjectFault({ data, keyId, source, annotations, sourceType }: EncryptedObject): string | undefined {
  if (sourceType !== SourceType.key && sourceType !== SourceType.seed) return `unknown encryptedDEKSourceType: ${sourceType}`
  if (data.length === 0) return 'encrypted data is empty'
  const ofSource = sourceFault(source)
  if (ofSource !== undefined) return `failed to validate encrypted DEK source: ${ofSource}`
  const ofKey = keyIdFault(keyId)
  if (ofKey !== undefined) return `failed to validate key id: ${ofKey.text}`
  const ofAnnotations = annotationsFault(annotations)
  return ofAnnotations && `failed to validate annotations: ${ofAnnotations}`
}

function sourceFault({ length }: Buffer): string | undefined {
  if (length === 0) return 'encrypted DEK source is empty'
  return length > LONGEST_SOURCE ? `encrypted DEK source is ${length} bytes, which exceeds the max size of ${LONGEST_SOURCE}` : undefined
}

function annotationsFault(annotations: Annotations): string | undefined {
  const faults: string[] = []
  let size = 0
  for (const [name, value] of annotations) {
    size += Buffer.byteLength(name) + value.length
    // Once over the limit, further names are not validated, which bounds the work.
    if (size <= MOST_ANNOTATIONS) faults.push(...nameFaults(name))
  }
  if (size > MOST_ANNOTATIONS) faults.push(`total size of annotations is ${size}, which exceeds the max size of ${MOST_ANNOTATIONS}`)
  return faults.length > 1 ? `[${faults.join(', ')}]` : faults[0]
}

/** Returns the faults of an annotation's name, like apimachinery's IsFullyQualifiedDomainName. */
function nameFaults(name: string): string[] {
  if (name === '') return ['annotations: Required value']
  const domain = name.endsWith('.') ? name.slice(0, -1) : name
  const invalid = (value: string, detail: string): string => `annotations: Invalid value: ${JSON.stringify(value)}: ${detail}`
  const faults = isDns1123Subdomain(domain)
  if (faults.length > 0) return [invalid(domain, faults.join(','))]
  const labels = domain.split('.')
  if (labels.length < 2) return [invalid(domain, 'should be a domain with at least two segments separated by dots')]
  const long = labels.flatMap(label => isDns1123Label(label).map(fault => invalid(label, fault)))
  return long.length > 1 ? [`[${long.join(', ')}]`] : long
}

/**
 * Returns a hash that identifies the source of a key: of everything that the service needs to decrypt it, each part
 * preceded by its length.
 */
export function sourceName({ sourceType, source, keyId, annotations }: Omit<EncryptedObject, 'data'>): string {
  const hash = createHash('sha256')
  const part = (bytes: Buffer): void => {
    hash.update(`${bytes.length}:`).update(bytes)
  }
  hash.update(`${sourceType}:`)
  part(source)
  part(Buffer.from(keyId))
  for (const name of [...annotations.keys()].sort()) {
    part(Buffer.from(name))
    part(annotations.get(name) ?? Buffer.alloc(0))
  }
  return hash.digest('base64')
}
