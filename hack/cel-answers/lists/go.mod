module cel-list-answers

go 1.23.0

require github.com/google/cel-go v0.26.0
