import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import type { LinearRegExp } from '../../lib/linear-regexp.ts'
import type { ManifestFile } from '../../upgrade/manifests.ts'

/** A request to which policies respond, and what is expected of the response. */
export interface PolicyCase {
  /** Name in results. */
  readonly name: string
  /** The object of the request. Without `old` the request is a create. */
  readonly object: JsonObject
  /** Optional. The object before an update. */
  readonly old?: JsonObject | undefined
  /** Optional. Name of the user that makes the request. */
  readonly user?: string | undefined
  /** Optional. Groups of the user. */
  readonly groups?: readonly string[]
  readonly expected: Expectation
}

/** Expected response. */
export interface Expectation {
  /** Optional. Whether the request must be allowed. */
  readonly allowed?: boolean
  /** Optional. Part of the message of a denial. */
  readonly message?: string | undefined
  /** Optional. Parts of warnings. */
  readonly warnings?: readonly string[]
  /** Optional. Members that the object has after all policies. */
  readonly mutated?: JsonObject | undefined
  /** Optional. Name of the policy that denies the object. Other denials are no result. */
  readonly policy?: string | undefined
  /** Optional. Numbers of violations. A policy may report several, of which the server's message names the first. */
  readonly violations?: readonly ViolationCount[]
}

/** Expected number of violations. */
export interface ViolationCount {
  readonly least: number
  readonly most: number
  /** Optional. Expression that the messages of counted violations match. If omitted, every violation counts. */
  readonly message?: LinearRegExp
}

/** A case that is not run. */
export interface SkippedCase {
  readonly name: string
  readonly reason: string
}

/** Cases that share policies and existing objects. */
export interface CaseSuite {
  /** Path of the file that contains the cases. */
  readonly file: string
  /** Policies and bindings beside those of `--policies`. */
  readonly policies: readonly JsonObject[]
  /** Objects that exist before the cases, such as parameters. */
  readonly given: readonly JsonObject[]
  /** Cases in order. Their requests are dry runs, so a case does not see the objects of others. */
  readonly cases: readonly PolicyCase[]
  /** Cases that are not run, with the reason. */
  readonly skipped: readonly SkippedCase[]
  /** Whether only policies of the suite decide, so that their bindings deny. */
  readonly denies: boolean
}

/** Thrown for a file of cases that is not valid. The message names the file and the field. */
export class CaseError extends Error {
  override readonly name = 'CaseError'
  /** Distinguishes a fault of a file from a bug. */
  readonly code = 'ERR_CASE_FILE'
}

/** Members of a document that are objects. */
export const objectList = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

/** Members of a document that are strings. */
export const stringList = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : []

/** Returns metadata.name. Empty if there is none. */
export const nameOf = (object: JsonObject): string => String(objectIn(object.metadata).name ?? '')

/** Kind and group of an admission policy or binding. */
const POLICY_KIND = /^(?:Validating|Mutating)AdmissionPolicy(?:Binding)?$/

/** Reports whether an object is an admission policy or a binding of one. */
export const isPolicyObject = ({ apiVersion, kind }: JsonObject): boolean =>
  typeof apiVersion === 'string' &&
  apiVersion.startsWith('admissionregistration.k8s.io/') &&
  typeof kind === 'string' &&
  POLICY_KIND.test(kind)

/** Reports whether a policy object is a binding. */
export const isBinding = ({ kind }: JsonObject): boolean => typeof kind === 'string' && kind.endsWith('Binding')

/** Values of the objects of a file. */
export const valuesOf = ({ objects }: ManifestFile): JsonObject[] =>
  objects.map(({ value, apiVersion, kind }) => ({ ...value, apiVersion, kind }))
