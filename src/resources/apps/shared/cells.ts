import type { KubeObject } from '../../../meta/object.ts'

/** Names and images of the containers of a pod template, each joined by commas. */
export function containerCells(template: KubeObject['spec']): [string, string] {
  const containers: { name?: string; image?: string }[] = template?.spec?.containers ?? []
  return [containers.map(c => c.name ?? '').join(','), containers.map(c => c.image ?? '').join(',')]
}
