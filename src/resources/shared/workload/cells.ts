import type { PodTemplateSpec } from '../../../api/core/v1.types.ts'

/** Prints names and images of the containers in a pod template, each separated by commas. */
export function containerCells(template: PodTemplateSpec | undefined): [string, string] {
  const containers = template?.spec.containers ?? []
  return [containers.map(({ name }) => name).join(','), containers.map(({ image = '' }) => image).join(',')]
}
