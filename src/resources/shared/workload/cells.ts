import type { PodTemplateSpec } from '../../core/v1.types.ts'

/** Names and images of the containers of a pod template, each joined by commas. */
export function containerCells(template: PodTemplateSpec | undefined): [string, string] {
  const containers = template?.spec.containers ?? []
  return [containers.map(({ name }) => name).join(','), containers.map(({ image = '' }) => image).join(',')]
}
