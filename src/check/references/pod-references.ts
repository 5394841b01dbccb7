import type { Json, JsonObject } from '../../api/meta/object.ts'
import { listItems, nonEmptyText, type ObjectReference, objectAt, type PodTemplate } from './reference.ts'

/** Owner of a pod template. */
export interface PodOrigin {
  /** Whether the template is a pod itself. */
  readonly isPod: boolean
  /** Names of volumes that claim templates replace. */
  readonly claimed: ReadonlySet<string>
}

/** References of the pods of a template to configuration, claims, accounts and classes. Optional ones are left out. */
export function podReferences({ template, path }: PodTemplate, namespace: string, { isPod, claimed }: PodOrigin): ObjectReference[] {
  const spec = objectAt(template, 'spec')
  const at = path === '' ? 'spec' : `${path}.spec`
  const named = (apiVersion: string, kind: string, within: string, name: Json | undefined, field: string): ObjectReference[] => {
    const text = nonEmptyText(name)
    return text === undefined ? [] : [{ apiVersion, kind, namespace: within, name: text, field }]
  }
  return [
    ...listItems(spec.volumes, `${at}.volumes`)
      .filter(({ item }) => !claimed.has(String(item.name)))
      .flatMap(({ item, path: volume }) => volumeReferences(item, volume, namespace)),
    ...['initContainers', 'containers'].flatMap(list =>
      listItems(spec[list], `${at}.${list}`).flatMap(({ item, path: container }) => containerReferences(item, container, namespace)),
    ),
    // The server refuses pods without their account, so that only those of templates are looked up.
    ...(isPod ? [] : named('v1', 'ServiceAccount', namespace, spec.serviceAccountName, `${at}.serviceAccountName`)),
    ...listItems(spec.imagePullSecrets, `${at}.imagePullSecrets`).flatMap(({ item, path: secret }) =>
      named('v1', 'Secret', namespace, item.name, `${secret}.name`),
    ),
    ...(isPod ? [] : named('scheduling.k8s.io/v1', 'PriorityClass', '', spec.priorityClassName, `${at}.priorityClassName`)),
    ...(isPod ? [] : named('node.k8s.io/v1', 'RuntimeClass', '', spec.runtimeClassName, `${at}.runtimeClassName`)),
  ]
}

function volumeReferences(volume: JsonObject, path: string, namespace: string): ObjectReference[] {
  const projected = listItems(objectAt(volume, 'projected').sources, `${path}.projected.sources`)
  return [
    ...dataReference('ConfigMap', volume.configMap, `${path}.configMap`, namespace),
    ...dataReference('Secret', volume.secret, `${path}.secret`, namespace, 'secretName'),
    ...projected.flatMap(({ item, path: source }) => [
      ...dataReference('ConfigMap', item.configMap, `${source}.configMap`, namespace),
      ...dataReference('Secret', item.secret, `${source}.secret`, namespace),
    ]),
    ...dataReference('PersistentVolumeClaim', volume.persistentVolumeClaim, `${path}.persistentVolumeClaim`, namespace, 'claimName'),
  ]
}

function containerReferences(container: JsonObject, path: string, namespace: string): ObjectReference[] {
  return [
    ...listItems(container.envFrom, `${path}.envFrom`).flatMap(({ item, path: source }) => [
      ...dataReference('ConfigMap', item.configMapRef, `${source}.configMapRef`, namespace),
      ...dataReference('Secret', item.secretRef, `${source}.secretRef`, namespace),
    ]),
    ...listItems(container.env, `${path}.env`).flatMap(({ item, path: variable }) => {
      const from = objectAt(item, 'valueFrom')
      return [
        ...dataReference('ConfigMap', from.configMapKeyRef, `${variable}.valueFrom.configMapKeyRef`, namespace),
        ...dataReference('Secret', from.secretKeyRef, `${variable}.valueFrom.secretKeyRef`, namespace),
      ]
    }),
  ]
}

/** Reference of a source of data, to its key if it names one. */
function dataReference(kind: string, source: Json | undefined, path: string, namespace: string, member = 'name'): ObjectReference[] {
  const found = objectAt({ source: source ?? null }, 'source')
  const name = nonEmptyText(found[member])
  if (name === undefined || found.optional === true) return []
  const keys = listItems(found.items, `${path}.items`).flatMap(({ item, path: at }) => {
    const key = nonEmptyText(item.key)
    return key === undefined ? [] : [{ apiVersion: 'v1', kind, namespace, name, field: `${at}.key`, key }]
  })
  const key = nonEmptyText(found.key)
  return [
    { apiVersion: 'v1', kind, namespace, name, field: `${path}.${member}` },
    ...(key === undefined ? [] : [{ apiVersion: 'v1', kind, namespace, name, field: `${path}.key`, key }]),
    ...keys,
  ]
}
