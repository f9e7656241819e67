namespace tilewright {}
