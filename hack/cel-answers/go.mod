module cel-answers

go 1.24.0

require (
	github.com/google/cel-go v0.23.2
	k8s.io/apimachinery v0.33.9
	k8s.io/apiserver v0.33.9
)
