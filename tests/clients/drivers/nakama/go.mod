module github.com/heroiclabs/nakama-common

go 1.19
