import { isJsonObject, type JsonObject, objectIn } from '../../api/meta/object.ts'
import type { SourceNode } from '../../upgrade/source/nodes.ts'
import type { CheckPosition } from '../types.ts'
import type { KustomizeSources, ObjectSources } from './kustomize-sources.ts'
import type { FieldLocation, SourceText } from './position.ts'

/** An object of the input, as it is written. */
export interface InputObject {
  /** Text that contains the object. */
  readonly text: SourceText
  /** Parsed text of the object, by which fields are located. */
  readonly node: SourceNode
  /** Content of the object. */
  readonly value: JsonObject
  /** Version of `value`. */
  readonly apiVersion: string
  readonly kind: string
  /** Empty if the object names none. */
  readonly namespace: string
  /** Empty if the object has no name. */
  readonly name: string
  /** Optional. Template that produced the object, from the `# Source:` comment of Helm. */
  readonly source?: string | undefined
  /**
   * Optional. apiVersion that is written, if the object was converted to another one. `node` has the original, `value`
   * the result.
   */
  readonly convertedFrom?: string | undefined
  /** Optional. Files that a kustomization built the object from. */
  readonly sources?: ObjectSources | undefined
}

/** Returns the position of a location in an object: in the files that it was built from, or in its text. */
export const locationPosition = ({ text, node, source, sources }: InputObject, at: Pick<FieldLocation, 'range' | 'node'>): CheckPosition =>
  sources?.position(node, at) ?? text.position(at.range, source)

/** A problem of a file that prevents objects from being read. */
export interface InputFault {
  /** Name of the rule in findings. */
  readonly rule: 'unreadable' | 'incomplete-object' | 'not-an-object'
  readonly message: string
  readonly advice?: string
  /** Omitted if the fault has no place in a file. */
  readonly position?: CheckPosition
}

/** Objects of the input and faults of its files. */
export interface Input {
  /** Files that were read, in the order of the arguments. */
  readonly texts: SourceText[]
  /** Objects in the order of the files. */
  readonly objects: InputObject[]
  /** Faults of files. They do not prevent other files from being checked. */
  readonly faults: InputFault[]
  /** Remarks on how files were read, such as `overlays/prod: built with kubectl kustomize`. */
  readonly remarks: string[]
  /** Kustomizations that were built. */
  readonly builds: KustomizeSources[]
}

/** Returns an input without files, to which readers append. */
export const emptyInput = (): Input => ({ texts: [], objects: [], faults: [], remarks: [], builds: [] })

/** Texts that positions name, including those of the files of kustomizations that were read so far. */
export const textsOf = ({ texts, builds }: Input): SourceText[] => [...texts, ...builds.flatMap(build => build.texts)]

/** Reads the names of an object. `apiVersion` and `kind` replace absent ones. */
export function inputObject(
  text: SourceText,
  node: SourceNode,
  value: JsonObject,
  implied: { readonly apiVersion: string; readonly kind: string },
): InputObject {
  const { namespace, name } = objectIn(value.metadata)
  return {
    text,
    node,
    value,
    ...implied,
    namespace: typeof namespace === 'string' ? namespace : '',
    name: typeof name === 'string' ? name : '',
  }
}

/** Reports whether a value names a kind. */
export const hasKind = (value: unknown): value is JsonObject & { readonly apiVersion: string; readonly kind: string } =>
  isJsonObject(value as JsonObject) &&
  typeof (value as JsonObject).apiVersion === 'string' &&
  typeof (value as JsonObject).kind === 'string'
