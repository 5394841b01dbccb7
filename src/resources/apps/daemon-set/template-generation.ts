import type { DaemonSet } from '../../../api/apps/v1.types.ts'

/**
 * Annotation that replaced the field templateGeneration; only the server increments it. kube-apiserver's internal type
 * has the field, so every object has the annotation, and writers own it.
 */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

/** Returns 0 if the annotation is missing or not a number. */
export const templateGeneration = (object: DaemonSet): number => {
  const text = object.metadata.annotations?.[TEMPLATE_GENERATION] ?? ''
  return /^-?\d+$/.test(text) ? Number(text) : 0
}

export const setTemplateGeneration = (object: DaemonSet, n: number): void => {
  object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(n) }
}
