import { endpointsPage } from './endpoints.ts'
import { errorsPage } from './errors.ts'
import { flagsPage } from './flags.ts'
import { gatesPage, pluginsPage } from './gates.ts'
import { metricsPage } from './metrics.ts'

/**
 * Pages that are generated from the program, by path. Every build of the documentation writes them; they are not
 * checked in.
 */
export const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/flags.md': flagsPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/endpoints.md': endpointsPage,
  'docs/reference/feature-gates.md': gatesPage,
  'docs/reference/admission-plugins.md': pluginsPage,
}
