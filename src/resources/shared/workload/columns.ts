import type { TableColumn } from '../../../catalog/definition.ts'
import { column } from '../columns.ts'

/** Columns that `-o wide` adds for kinds with a pod template. */
export const CONTAINER_COLUMNS: readonly TableColumn[] = [
  column('Containers', 'Names of the containers in the template.', 1),
  column('Images', 'Images of the containers in the template.', 1),
]

export const SELECTOR_COLUMN: TableColumn = column('Selector', 'Label selector of the pods.', 1)
