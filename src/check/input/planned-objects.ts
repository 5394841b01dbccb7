import type { MapNode, SourceNode } from '../../upgrade/source/nodes.ts'

/** Members of a map node by key. The last one of repeated keys counts. */
const memberOf = (node: SourceNode | undefined, key: string): SourceNode | undefined =>
  node?.kind === 'map' ? node.pairs.findLast(pair => pair.key === key)?.value : undefined

const textOf = (node: SourceNode | undefined): string => (node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : '')

const itemsOf = (node: SourceNode | undefined): readonly SourceNode[] => (node?.kind === 'list' ? node.items : [])

/** Reports whether a document is a plan of `terraform show -json` or `tofu show -json`. */
export const isTerraformPlan = (root: MapNode): boolean =>
  memberOf(root, 'format_version') !== undefined && memberOf(root, 'planned_values') !== undefined

/**
 * Returns the manifests of the `kubernetes_manifest` resources of a plan.
 * https://developer.hashicorp.com/terraform/internals/json-format
 */
export const terraformManifests = (root: SourceNode): SourceNode[] =>
  manifestsOfModule(memberOf(memberOf(root, 'planned_values'), 'root_module'))

function manifestsOfModule(module: SourceNode | undefined): SourceNode[] {
  const own = itemsOf(memberOf(module, 'resources')).flatMap(resource => {
    const type = textOf(memberOf(resource, 'type'))
    const manifest = type === 'kubernetes_manifest' ? memberOf(memberOf(resource, 'values'), 'manifest') : undefined
    return manifest ? [manifest] : []
  })
  return [...own, ...itemsOf(memberOf(module, 'child_modules')).flatMap(manifestsOfModule)]
}

/** Reports whether a document is the output of `pulumi preview --json`. */
export const isPulumiPreview = (root: MapNode): boolean =>
  memberOf(root, 'steps')?.kind === 'list' && memberOf(root, 'apiVersion') === undefined

/** Operations of a preview after which the object exists. */
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'replace', 'create-replacement', 'same', 'import'])

/** Returns the inputs of the `kubernetes:*` resources of a preview, except those that are deleted. */
export function pulumiObjects(root: SourceNode): SourceNode[] {
  return itemsOf(memberOf(root, 'steps')).flatMap(step => {
    const state = memberOf(step, 'newState')
    const inputs = memberOf(state, 'inputs')
    const isObject = textOf(memberOf(state, 'type')).startsWith('kubernetes:') && WRITES.has(textOf(memberOf(step, 'op')))
    return isObject && memberOf(inputs, 'kind') !== undefined ? [inputs as SourceNode] : []
  })
}
