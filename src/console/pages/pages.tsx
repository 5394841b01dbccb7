import type { ComponentType } from 'preact'
import { CelPage } from './cel-page.tsx'
import { DeprecatedPage } from './deprecated-page.tsx'
import { FaultsPage } from './faults-page.tsx'
import { MetricsPage } from './metrics-page.tsx'
import { NodesPage } from './nodes-page.tsx'
import type { PageProps } from './page-props.ts'
import { PoliciesPage } from './policies-page.tsx'
import { RequestsPage } from './requests-page.tsx'

/** A page in the menu. */
export interface PageEntry {
  /** First part of the page's route. */
  readonly id: string
  readonly label: string
  readonly Page: ComponentType<PageProps>
}

/** Pages other than objects, in the order of the menu. */
export const PAGES: readonly PageEntry[] = [
  { id: 'nodes', label: 'Nodes', Page: NodesPage },
  { id: 'requests', label: 'Requests', Page: RequestsPage },
  { id: 'metrics', label: 'Metrics', Page: MetricsPage },
  { id: 'deprecated', label: 'Deprecated versions', Page: DeprecatedPage },
  { id: 'cel', label: 'CEL', Page: CelPage },
  { id: 'policies', label: 'Policies', Page: PoliciesPage },
  { id: 'faults', label: 'Faults', Page: FaultsPage },
]
