import type { Version } from '../../catalog/definition.ts'
import type { KubeObject } from '../../meta/object.ts'
import { types } from '../../resources/types.ts'

/** A version that no release the server emulates has, as the definition of its kind would have it. It is only read. */
export interface OldVersion {
  readonly group: string
  readonly name: string
  readonly kind: string
  /** Of its type: `extensionsV1beta1.Deployment`. */
  readonly type: string
  /** The resource into which it is converted. */
  readonly into: { readonly group: string; readonly resource: string }
  /** Counts before the version of the catalog, which is a form of the store. */
  readonly isPreferred?: true
  /** As `Version.setDefaults`: defaults that the version to come has otherwise. */
  readonly setDefaults?: (object: KubeObject) => void
  /** As `Version.toHub`; absent where only the apiVersion differs. */
  readonly toHub?: (object: KubeObject) => KubeObject
}

/** The version of a definition whose hub version is given. */
export const versionOf = ({ group, name, kind, type, setDefaults, toHub }: OldVersion, hub: Version): Version => ({
  group,
  name,
  kind,
  names: hub.names,
  verbs: [],
  schema: types.type(type),
  ...(setDefaults && { setDefaults }),
  ...(toHub && { toHub }),
})
