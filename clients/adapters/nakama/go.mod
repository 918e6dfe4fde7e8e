module example.com/fixkeep

go 1.19

require github.com/heroiclabs/nakama-common v1.31.0
