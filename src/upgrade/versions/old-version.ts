import type { KubeObject } from '../../api/meta/object.ts'
import type { Version } from '../../catalog/definition.ts'
import { types } from '../../catalog/types.ts'

/** A version that no emulated release has, in the form of a version of its kind's definition. It is only read. */
export interface OldVersion {
  readonly group: string
  readonly name: string
  readonly kind: string
  /** Declared type: `extensionsV1beta1.Deployment`. */
  readonly type: string
  /** Resource that it is converted to. */
  readonly into: { readonly group: string; readonly resource: string }
  /** Whether it takes precedence over the catalog's version of the same name, which only describes stored objects. */
  readonly isPreferred?: true
  /** Optional. See `Version.setDefaults`. Sets defaults that differ from those of the new version. */
  readonly setDefaults?: (object: KubeObject) => void
  /** Optional. See `Version.toHub`. Unset if only the apiVersion differs. */
  readonly toHub?: (object: KubeObject) => KubeObject
}

/** Creates a version for a definition with the given hub version. */
export const oldVersion = ({ group, name, kind, type, setDefaults, toHub }: OldVersion, hub: Version): Version => ({
  group,
  name,
  kind,
  names: hub.names,
  verbs: [],
  schema: types.type(type),
  ...(setDefaults && { setDefaults }),
  ...(toHub && { toHub }),
})
