/** Facts that are in no published module, each with its source in k8s.io/kubernetes. */
export const BY_HAND: readonly string[] = [
  'gates of kubernetes proper, and which gates require others (src/lifecycle/gate-dependencies.ts): pkg/features/kube_features.go',
  'the effect of each gate that is written as `fixed` (GateEffect in src/lifecycle/feature-gates.ts)',
  'versions that are served by default: pkg/controlplane/instance.go',
  'storage versions that are exceptions to the rule: pkg/kubeapiserver/default_storage_factory_builder.go',
  'kinds that a gate serves (src/lifecycle/served.ts): pkg/registry/*/rest',
  'fields that need a gate without the marker +featureGate: comments of the fields, and pkg/registry/*/strategy.go',
  'validation, defaults, warnings and printed columns: pkg/apis, pkg/registry, pkg/printers',
  'admission plugins: pkg/kubeapiserver/options/plugins.go; default roles: plugin/pkg/auth/authorizer/rbac/bootstrappolicy',
  'descriptions of new types and fields (src/api/descriptions): test/unit/api/descriptions.test.ts lists them',
]
