import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { compareReleases, type Release } from '../../lifecycle/release.ts'

/** A deprecated annotation or label. */
interface OldKey {
  /** The key, or a prefix that ends with `/`. */
  readonly key: string
  /** First release in which the key is deprecated. */
  readonly deprecated: Release
  /** Optional. First release that ignores it. Unset while it has an effect. */
  readonly ignored?: Release
  /** Field or key that replaces it. */
  readonly instead: string
}

/** Source: https://kubernetes.io/docs/reference/labels-annotations-taints/ and the release notes. */
const OLD_ANNOTATIONS: readonly OldKey[] = [
  { key: 'seccomp.security.alpha.kubernetes.io/pod', deprecated: '1.19', ignored: '1.27', instead: 'securityContext.seccompProfile' },
  {
    key: 'container.seccomp.security.alpha.kubernetes.io/',
    deprecated: '1.19',
    ignored: '1.27',
    instead: 'securityContext.seccompProfile of the container',
  },
  {
    key: 'container.apparmor.security.beta.kubernetes.io/',
    deprecated: '1.30',
    instead: 'securityContext.appArmorProfile of the container',
  },
  { key: 'scheduler.alpha.kubernetes.io/critical-pod', deprecated: '1.11', ignored: '1.16', instead: 'priorityClassName' },
  { key: 'kubernetes.io/ingress.class', deprecated: '1.18', instead: 'spec.ingressClassName' },
  { key: 'volume.beta.kubernetes.io/storage-class', deprecated: '1.6', instead: 'spec.storageClassName' },
  { key: 'volume.beta.kubernetes.io/mount-options', deprecated: '1.31', instead: 'spec.mountOptions' },
  {
    key: 'storageclass.beta.kubernetes.io/is-default-class',
    deprecated: '1.6',
    instead: 'the annotation storageclass.kubernetes.io/is-default-class',
  },
  {
    key: 'service.alpha.kubernetes.io/tolerate-unready-endpoints',
    deprecated: '1.11',
    ignored: '1.24',
    instead: 'spec.publishNotReadyAddresses',
  },
  {
    key: 'service.kubernetes.io/topology-aware-hints',
    deprecated: '1.27',
    instead: 'the annotation service.kubernetes.io/topology-mode or spec.trafficDistribution',
  },
]

/** Node labels that pods select by. The label of control planes is kubeadm's. */
const OLD_LABELS: readonly OldKey[] = [
  {
    key: 'node-role.kubernetes.io/master',
    deprecated: '1.20',
    ignored: '1.24',
    instead: 'node-role.kubernetes.io/control-plane (kubeadm sets the old label no more from 1.24 on, and the taint from 1.25 on)',
  },
]

/** A deprecated annotation or label in an object. */
export interface OldKeyUse {
  /** Path in the object, with the key in brackets if it is a member. */
  readonly path: string
  /** The key as written, also if the table has a prefix. */
  readonly key: string
  /** First release in which the key is deprecated. */
  readonly deprecated: Release
  /** Whether the key has no effect in the release. */
  readonly isIgnored: boolean
  /** Release in which the key lost its effect, or else was deprecated. */
  readonly since: Release
  /** Field or key that replaces it. */
  readonly instead: string
}

/**
 * Returns the deprecated annotations of an object and its templates, and the deprecated node labels that it selects or
 * tolerates, in a release.
 */
export function oldKeysOf(object: JsonObject, release: Release): OldKeyUse[] {
  const found: OldKeyUse[] = []
  const add = (path: string, key: string, old: OldKey | undefined): void => {
    if (old === undefined || compareReleases(old.deprecated, release) > 0) return
    const isIgnored = old.ignored !== undefined && compareReleases(old.ignored, release) <= 0
    found.push({
      path,
      key,
      deprecated: old.deprecated,
      isIgnored,
      since: isIgnored ? (old.ignored ?? release) : old.deprecated,
      instead: old.instead,
    })
  }
  const visit = (value: Json, path: string): void => {
    if (Array.isArray(value)) for (const [i, item] of value.entries()) visit(item, `${path}[${i}]`)
    else if (isJsonObject(value))
      for (const [name, member] of Object.entries(value)) {
        const inner = path === '' ? name : `${path}.${name}`
        if (name === 'annotations' && path.endsWith('metadata'))
          for (const key of objectKeys(member)) add(`${inner}[${key}]`, key, oldKey(OLD_ANNOTATIONS, key))
        else if (name === 'nodeSelector') for (const key of objectKeys(member)) add(`${inner}[${key}]`, key, oldKey(OLD_LABELS, key))
        else if (name === 'key' && typeof member === 'string' && /tolerations|matchExpressions/.test(path))
          add(inner, member, oldKey(OLD_LABELS, member))
        else if (name !== 'managedFields') visit(member, inner)
      }
  }
  visit(object, '')
  return found
}

const objectKeys = (value: Json): string[] => (isJsonObject(value) ? Object.keys(value) : [])

const oldKey = (table: readonly OldKey[], key: string): OldKey | undefined =>
  table.find(old => (old.key.endsWith('/') ? key.startsWith(old.key) : key === old.key))
