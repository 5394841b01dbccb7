import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, required, words } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isConfigMapKey, nameIsDnsLabel, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { goValue } from '../../shared/go-values.ts'
import type { ConfigMapNodeConfigSource, NodeConfigSource, NodeConfigStatus } from '../v1.types.ts'

/** NodeSpec.configSource. The kubelet reads it no more; nodes that have it keep it, and it stays well-formed. */
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

/** NodeStatus.config. */
export const validateConfigStatus = (status: NodeConfigStatus, path: FieldPath): FieldError[] =>
  (['assigned', 'active', 'lastKnownGood'] as const).flatMap(member => {
    const source = status[member]
    return source ? validateReported(source, path.child(member)) : []
  })

/** The status names one state of a ConfigMap: uid and resourceVersion are required here, and forbidden in the spec. */
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

/** A ConfigMap is the only source there is, so that a source without one refers to nothing. */
const noReference = (source: NodeConfigSource, path: FieldPath): FieldError =>
  invalid(path, goValue('core.NodeConfigSource', source), 'exactly one reference subfield must be non-nil')

/** Errors in this order: namespace, name, key. Each is required, and then of the form of such a name. */
function validateReference(reference: ConfigMapNodeConfigSource, path: FieldPath): FieldError[] {
  const judge = (field: 'namespace' | 'name' | 'kubeletConfigKey', rule: (text: string) => string[]): FieldError[] => {
    const text = reference[field]
    return text === '' ? [required(path.child(field), words(`${field} must be set`, ''))] : rule(text).map(wrong => invalid(path.child(field), text, wrong))
  }
  return [
    ...judge('namespace', text => nameIsDnsLabel(text, false)),
    ...judge('name', text => nameIsDnsSubdomain(text, false)),
    ...judge('kubeletConfigKey', isConfigMapKey),
  ]
}
