import { declarationsOf } from '../../src/api/packages.ts'
import type { ResourceDefinition, Version } from '../../src/catalog/definition.ts'
import { TypeRegistry } from '../../src/schema/idl.ts'
import type { AnyObject } from './any-object.ts'
import { type TestKind, testTypes, widgetResource } from './test-registry.ts'

const oldTypes = new TypeRegistry().addFile('meta', declarationsOf('meta')).add({
  id: 'old',
  definition: 'io.example.v1beta1',
  source: `
type Widget typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 WidgetSpec?
  status 3 WidgetStatus?

type WidgetSpec
  shade 1 string?
  size 2 *int32?
  parts 3 []string?

type WidgetStatus
  phase 1 string?
`,
})

const rename =
  (from: string, to: string) =>
  (widget: AnyObject): AnyObject => {
    const { [from]: moved, ...spec } = (widget.spec ?? {}) as Record<string, unknown>
    if (moved !== undefined) spec[to] = moved
    return { ...widget, spec }
  }

/** Widgets of v1, the hub, with a color, and of v1beta1, with a shade. Stored in v1beta1 by default. */
export function twoVersions({ version, strategy, definition }: TestKind = {}, stored: 'v1' | 'v1beta1' = 'v1beta1'): ResourceDefinition {
  const { hub } = widgetResource({ ...(version && { version }) })
  const v1beta1: Version<AnyObject> = {
    ...hub,
    name: 'v1beta1',
    schema: oldTypes.type('old.Widget'),
    toHub: rename('shade', 'color'),
    fromHub: rename('color', 'shade'),
    selectableFields: { 'spec.shade': widget => widget.spec?.shade ?? '' },
    fieldAliases: stored === 'v1' ? { 'spec.shade': 'spec.color' } : {},
  }
  const v1: Version = { ...hub, schema: testTypes.type('test.Widget'), fieldAliases: stored === 'v1' ? {} : { 'spec.color': 'spec.shade' } }
  return {
    ...widgetResource({ ...(strategy && { strategy }) }),
    versions: [v1, v1beta1],
    hub: v1,
    storage: { prefix: 'widgets', version: stored === 'v1' ? v1 : v1beta1 },
    ...definition,
  }
}
