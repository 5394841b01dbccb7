import type { ConfigMapNodeConfigSource, NodeConfigSource, NodeConfigStatus } from '../../../api/core/v1.types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, required, words } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isConfigMapKey, nameIsDnsLabel, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { goValue } from '../../shared/go-values.ts'

/** Checks NodeSpec.configSource. Kubelets no longer read it, but nodes that have it keep it, and it must stay valid. */
export function validateConfigSource(source: NodeConfigSource, path: FieldPath): FieldError[] {
  const { configMap } = source
  const at = path.child('configMap')
  if (!configMap) return [noReference(source, path)]
  return [
    ...(configMap.uid ? [forbidden(at.child('uid'), 'uid must not be set in spec')] : []),
    ...(configMap.resourceVersion ? [forbidden(at.child('resourceVersion'), 'resourceVersion must not be set in spec')] : []),
    ...validateReference(configMap, at),
  ]
}

/** Checks NodeStatus.config. */
export const validateConfigStatus = (status: NodeConfigStatus, path: FieldPath): FieldError[] =>
  (['assigned', 'active', 'lastKnownGood'] as const).flatMap(member => {
    const source = status[member]
    return source ? validateReported(source, path.child(member)) : []
  })

/**
 * Checks a source in the status. It identifies one revision of a ConfigMap: uid and resourceVersion are required here,
 * and forbidden in the spec.
 */
function validateReported(source: NodeConfigSource, path: FieldPath): FieldError[] {
  const { configMap } = source
  const at = path.child('configMap')
  if (!configMap) return [noReference(source, path)]
  return [
    ...(configMap.uid ? [] : [required(at.child('uid'), words('uid must be set in status', ''))]),
    ...(configMap.resourceVersion ? [] : [required(at.child('resourceVersion'), words('resourceVersion must be set in status', ''))]),
    ...validateReference(configMap, at),
  ]
}

/** A ConfigMap is the only kind of source, so a source without one has no reference. */
const noReference = (source: NodeConfigSource, path: FieldPath): FieldError =>
  invalid(path, goValue('core.NodeConfigSource', source), 'exactly one reference subfield must be non-nil')

/** Checks namespace, name and key, in this order. Each is required, then validated as a name of its kind. */
function validateReference(reference: ConfigMapNodeConfigSource, path: FieldPath): FieldError[] {
  const judge = (field: 'namespace' | 'name' | 'kubeletConfigKey', rule: (text: string) => string[]): FieldError[] => {
    const text = reference[field]
    return text === ''
      ? [required(path.child(field), words(`${field} must be set`, ''))]
      : rule(text).map(wrong => invalid(path.child(field), text, wrong))
  }
  return [
    ...judge('namespace', text => nameIsDnsLabel(text, false)),
    ...judge('name', text => nameIsDnsSubdomain(text, false)),
    ...judge('kubeletConfigKey', isConfigMapKey),
  ]
}
