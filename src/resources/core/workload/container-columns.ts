import type { PodTemplateSpec } from '../../../api/core/v1.types.ts'
import type { TableColumn } from '../../../catalog/definition.ts'
import { column } from '../../shared/columns.ts'

/** Columns that `-o wide` adds for kinds with a pod template. */
export const CONTAINER_COLUMNS: readonly TableColumn[] = [
  column('Containers', 'Names of the containers in the template.', 1),
  column('Images', 'Images of the containers in the template.', 1),
]

export const SELECTOR_COLUMN: TableColumn = column('Selector', 'Label selector of the pods.', 1)

/** Prints names and images of the containers in a pod template, each separated by commas. */
export function containerCells(template: PodTemplateSpec | undefined): [string, string] {
  const containers = template?.spec.containers ?? []
  return [containers.map(({ name }) => name).join(','), containers.map(({ image = '' }) => image).join(',')]
}
